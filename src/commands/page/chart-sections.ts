// The sections with charts: incidents, dismissals and drift. Each chart has a table with the same numbers.
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import type { FleetInput } from '../report/fleet.ts';
import { addedUp, incidentsByScope, severityColumns } from '../report/incident-counts.ts';
import { barChart } from './bar-chart.ts';
import { dataTable } from './data-table.ts';
import { dismissalCalendar } from './dismissal-calendar.ts';
import { dismissalRows } from './dismissal-rows.ts';
import { driftByActor } from './drift-counts.ts';
import { pageSection } from './fleet-sections.ts';
import { markup, type Markup } from './markup.ts';
import { timeText } from './time-text.ts';

/** Scopes beyond this number are added up. */
const shownScopes = 12;
/** Dismissals beyond this number are counted. */
const shownDismissals = 200;

export function incidentsSection(policies: readonly RoleAlertPolicy[]): Markup {
  const all = incidentsByScope(policies);
  const others = all.slice(shownScopes);
  const rows = [
    ...all.slice(0, shownScopes),
    ...(others.length > 0 ? [addedUp(`${others.length} other scopes`, others)] : []),
  ];
  if (rows.length === 0)
    return pageSection('incidents', 'Open incidents', markup`<p>No active alert has incidents.</p>`);
  const { total, counts } = addedUp('', rows);
  const chart = barChart({
    id: 'incident-chart',
    title: 'Open incidents by scope and severity',
    description: `${total} incidents, ${counts.High} of them of severity High. The table below has the same numbers.`,
    series: severityColumns.map((name) => ({ name, colour: name.toLowerCase() })),
    bars: rows.map(({ scope, counts }) => ({ label: scope, counts: severityColumns.map((column) => counts[column]) })),
  });
  const table = dataTable({
    id: 'incident-table',
    caption: 'Open incidents by scope and severity. An unknown severity counts as High.',
    columns: [{ name: 'Scope' }, ...[...severityColumns, 'Total'].map((name) => ({ name, isNumber: true }))],
    rows: rows.map(({ scope, counts: { High, Medium, Low }, total }) => [scope, High, Medium, Low, total]),
  });
  return pageSection('incidents', 'Open incidents', markup`${chart}${table}`);
}

export function dismissalsSection({ connections, nowMs }: Pick<FleetInput, 'connections' | 'nowMs'>): Markup {
  const all = dismissalRows(connections);
  if (all.length === 0) return pageSection('dismissals', 'Dismissals', markup`<p>No dismissal is in force.</p>`);
  const hidden = all.length - shownDismissals;
  const table = dataTable({
    id: 'dismissal-table',
    caption: 'The dismissals in force, the next one that ends first. Times are in UTC.',
    columns: ['Alert', 'Scope', 'Policy', 'Ends at', 'Also ends with', 'Since', 'Reason'].map((name) => ({ name })),
    rows: all
      .slice(0, shownDismissals)
      .map(({ alert, scope, policy, until, bound, since, reason }) => [
        alert,
        scope,
        policy,
        until === undefined ? 'no end' : timeText(until, nowMs),
        bound,
        timeText(since, nowMs),
        reason ?? 'not shared',
      ]),
    rest: hidden > 0 ? `${hidden} more dismissals end later and are not shown.` : undefined,
  });
  return pageSection('dismissals', 'Dismissals', markup`${dismissalCalendar(all, nowMs)}${table}`);
}

export function driftSection(policies: readonly RoleAlertPolicy[]): Markup {
  const rows = driftByActor(policies);
  const heading = 'Drift by kind of actor';
  if (rows.length === 0) return pageSection('drift', heading, markup`<p>The operator found no drift.</p>`);
  const total = rows.reduce((sum, { activated, deactivated }) => sum + activated + deactivated, 0);
  const chart = barChart({
    id: 'drift-chart',
    title: 'The last drift of each alert by kind of actor',
    description: `${total} alerts drifted at least once. The table below has the same numbers.`,
    series: [
      { name: 'Deactivated', colour: 'deactivated' },
      { name: 'Activated', colour: 'activated' },
    ],
    bars: rows.map(({ actor, activated, deactivated }) => ({ label: actor, counts: [deactivated, activated] })),
  });
  const table = dataTable({
    id: 'drift-table',
    caption: 'The last drift of each alert, by the kind of actor that probably caused it. Self is the operator.',
    columns: [{ name: 'Actor' }, { name: 'Deactivated', isNumber: true }, { name: 'Activated', isNumber: true }],
    rows: rows.map(({ actor, activated, deactivated }) => [actor, deactivated, activated]),
  });
  return pageSection('drift', heading, markup`${chart}${table}`);
}
