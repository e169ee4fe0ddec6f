// The sections of a report of the fleet, by the names that `--show` takes.
import { formatAge } from '../../lib/duration.ts';
import type { MinSeverity } from '../../policy/generated/role-alert-policy.ts';
import { budgetSection } from './budget.ts';
import type { Chart } from './charts.ts';
import { dismissalsSection } from './dismissals.ts';
import { type Fleet, type FleetFinding, type FleetInput, fleetOf, type FleetTotals, findingWords } from './fleet.ts';
import { firingAlerts, incidentsSection } from './incidents.ts';
import { type Cell, type Column, type Report, type Row, type Section } from './model.ts';
import { scopeText, shortNames } from './object-name.ts';
import { timelineOf, timelineSection } from './timeline.ts';

export interface ReportInput extends FleetInput {
  /** What the objects are of: `all namespaces`. */
  readonly place: string;
  /** The only namespace that was read; undefined for all of them. */
  readonly namespace: string | undefined;
  /** How far ahead the timeline shows; milliseconds. */
  readonly aheadMs: number;
  /** The operator's `--interval`; milliseconds. */
  readonly defaultMs: number;
  /** Of the open incidents. Absent: all of them. */
  readonly severity?: MinSeverity | undefined;
}

export const sectionNames = [
  'attention',
  'incidents',
  'dismissals',
  'timeline',
  'budget',
  'policies',
  'connections',
] as const;
export type SectionName = (typeof sectionNames)[number];

export const isSectionName = (text: string): text is SectionName => sectionNames.some((name) => name === text);

export function fleetReport(input: ReportInput, names: readonly SectionName[]): Report {
  const fleet = fleetOf(input);
  return {
    title: `Role alerts of ${input.place}`,
    notes: input.notes ?? [],
    sections: sectionNames.filter((name) => names.includes(name)).flatMap((name) => sectionsOf[name](input, fleet)),
  };
}

const sectionsOf: Readonly<Record<SectionName, (input: ReportInput, fleet: Fleet) => readonly Section[]>> = {
  attention: (input, fleet) => attentionSections(fleet, input),
  incidents: ({ policies, severity, nowMs }) => [incidentsSection(firingAlerts(policies, severity), nowMs)],
  dismissals: (input) => [dismissalsSection(input)],
  timeline: (input) => [timelineSection(timelineOf({ ...input, untilMs: input.nowMs + input.aheadMs }))],
  budget: (input) => [budgetSection({ ...input, isWhole: input.namespace === undefined })],
  policies: (input, fleet) => [policiesSection(fleet, input)],
  connections: (input, fleet) => [connectionsSection(fleet, input)],
};

function nothingIn(namespace: string | undefined): string {
  const place = namespace === undefined ? '' : ` in namespace ${namespace}; --all-namespaces reads the others`;
  return `No policies and no connections found${place}.`;
}

/** The place of a report of a cluster. */
export function placeName(namespace: string | undefined): string {
  return namespace === undefined ? 'all namespaces' : `namespace ${namespace}`;
}

/** Findings of one kind beyond this number are counted. */
const shownOfKind = 10;

function attentionSections(
  { totals, findings: all }: Fleet,
  { namespace, notReady, nowMs }: ReportInput,
): readonly Section[] {
  const findings = all.map(({ weight: _weight, ...finding }) => finding);
  const isEmpty = totals.policies === 0 && totals.connections === 0;
  const totalsOfFleet: Section = {
    id: 'totals',
    heading: 'Totals',
    columns: [{ name: '' }, { name: '', isNumber: true }, { name: '' }],
    rows: isEmpty ? [] : totalsRows(totals).map((cells) => ({ cells })),
    nothing: nothingIn(namespace),
    charts: [healthChart(totals)],
    data: { totals, findings },
  };
  if (isEmpty) return [totalsOfFleet];
  const attention: Section = {
    id: 'attention',
    heading: 'What needs attention',
    columns: ['what', 'age', 'object', 'reason', 'message'].map(column),
    rows: [...Map.groupBy(findings, sentenceOf).values()].flatMap((same) => findingRows(same, nowMs)),
    nothing: notReady ? 'Every policy is ready, and every connection in use.' : 'Nothing needs attention.',
    mostOfGroup: shownOfKind,
    data: {},
  };
  return [totalsOfFleet, attention];
}

const column = (name: string): Column => ({ name });

/** Of policies that something blocks: the same for those with one cause. */
function sentenceOf({ kind, object, reason, message }: Omit<FleetFinding, 'weight'>): string {
  const isBlocked = kind === 'Stalled' || kind === 'NotReady' || kind === 'Waiting';
  return JSON.stringify([kind, reason, message, isBlocked ? '' : object]);
}

/** One row where the sentence would be repeated beyond what is shown. */
function findingRows(same: readonly Omit<FleetFinding, 'weight'>[], nowMs: number): readonly Row[] {
  const isOne = same.length > shownOfKind;
  return (isOne ? same.slice(0, 1) : same).map(({ kind, since, object, displayName, reason, message }) => {
    const age = since === undefined ? '' : formatAge(nowMs - Date.parse(since));
    const one = displayName === undefined ? object : `${object} (${displayName})`;
    const named = isOne ? `${object} and ${same.length - 1} more` : one;
    return { cells: [findingWords[kind], age, named, reason, message], group: kind };
  });
}

function totalsRows(totals: FleetTotals): readonly (readonly Cell[])[] {
  const { predictedRequestsPerHour, allowedRequestsPerHour } = totals;
  return [
    [
      'Policies',
      totals.policies,
      partsOf(['ready', totals.ready], ['stalled', totals.stalled], ['suspended', totals.suspended]),
    ],
    [
      'Declared alerts',
      totals.declared,
      partsOf(
        ['in sync', totals.inSync],
        ['drifted', totals.drifted],
        ['missing', totals.missing],
        ['dismissed', totals.dismissed],
      ),
    ],
    ['Incidents', totals.incidents, partsOf(['of severity High', totals.highIncidents])],
    ['Connections', totals.connections, partsOf(['ready', totals.connectionsReady])],
    ...(totals.connections === 0
      ? []
      : [['Requests an hour', predictedRequestsPerHour, `of ${allowedRequestsPerHour} that the connections allow`]]),
  ];
}

/** Only the first one is shown when it is 0. */
function partsOf(...counts: readonly (readonly [string, number])[]): string {
  const shown = counts.filter(([, count], index) => index === 0 || count > 0);
  return shown.map(([word, count]) => `${count} ${word}`).join(', ');
}

function healthChart({ policies, ready, stalled, suspended }: FleetTotals): Chart {
  return {
    id: 'health-chart',
    title: 'The policies by their state',
    parts: [
      { name: 'ready', count: ready, colour: 'good' },
      { name: 'suspended', count: suspended, colour: 'idle' },
      { name: 'not ready', count: policies - ready - stalled - suspended, colour: 'medium' },
      { name: 'stalled', count: stalled, colour: 'high' },
    ],
  };
}

function policiesSection({ policies }: Fleet, { notReady }: ReportInput): Section {
  return {
    id: 'policies',
    heading: 'Policies',
    columns: [
      ...['namespace', 'name', 'ready', 'reason', 'mode', 'in-sync'].map(column),
      { name: 'incidents', isNumber: true },
      { name: 'scope' },
      { name: 'connection' },
    ],
    rows: policies.map(
      ({ namespace, name, ready, reason, mode, inSync, incidents, connection, connectionKind, ...named }) => ({
        cells: [
          namespace,
          name,
          ready,
          reason,
          mode,
          inSync,
          incidents,
          scopeText(named),
          `${shortNames[connectionKind]}/${connection}`,
        ],
      }),
    ),
    nothing: notReady ? 'Every policy is ready.' : 'There are no policies.',
    data: { policies },
  };
}

function connectionsSection({ connections }: Fleet, { notReady }: ReportInput): Section {
  const counts = ['policies', 'scopes', 'dismissals', 'requests/h', 'allowed/h'].map((name) => ({
    name,
    isNumber: true,
  }));
  return {
    id: 'connections',
    heading: 'Connections',
    columns: [...['namespace', 'connection', 'ready', 'reason'].map(column), ...counts],
    rows: connections.map((row) => ({
      cells: [
        row.namespace ?? '',
        `${shortNames[row.kind]}/${row.name}`,
        row.ready,
        row.reason,
        row.policies,
        row.scopes,
        row.dismissals,
        row.predictedRequestsPerHour ?? '',
        row.allowedRequestsPerHour,
      ],
    })),
    nothing: notReady ? 'Every connection in use is ready.' : 'There are no connections.',
    data: { connections },
  };
}
