// The sections of the page about a fleet: totals, what needs attention, and every policy.
import { findingHeadings } from '../report/fleet-text.ts';
import { type Fleet, type FindingKind, findingKinds, type FleetFinding, type PolicyRow } from '../report/fleet.ts';
import type { ScopeIncidents } from '../report/incident-counts.ts';
import { dataTable } from './data-table.ts';
import { markup, type Markup } from './markup.ts';

/** The address of the part that shows an object in full; undefined when there is none. `object`: as findings name it. */
export type LinkTo = (object: string) => string | undefined;

/** `incidents`: each once, as the chart counts them; the totals count an alert for each of its policies. */
export function totalsSection({ totals }: Fleet, { total, counts }: Omit<ScopeIncidents, 'scope'>): Markup {
  const { policies, ready, stalled, suspended } = totals;
  const cards = [
    card('Policies', policies, [
      [ready, 'ready'],
      [stalled, 'stalled'],
      [policies - ready - stalled, 'not ready'],
      [suspended, 'suspended'],
    ]),
    card('Declared alerts', totals.declared, [
      [totals.inSync, 'in sync'],
      [totals.drifted, 'drifted'],
      [totals.missing, 'missing'],
      [totals.dismissed, 'dismissed'],
    ]),
    card('Open incidents', total, [[counts.High, 'of severity High']]),
    card('Connections', totals.connections, [[totals.connectionsReady, 'ready']]),
  ];
  return pageSection('totals', 'Totals', markup`<dl class="totals">${cards}</dl>`);
}

/** `id`: unique on the page. */
export function pageSection(id: string, heading: string, content: Markup): Markup {
  return markup`<section id="${id}" aria-labelledby="${id}-heading"><h2 id="${id}-heading">${heading}</h2>
${content}</section>
`;
}

/** Only the first part is shown when it is 0. */
function card(name: string, count: number, parts: readonly (readonly [number, string])[]): Markup {
  const shown = parts.filter(([part], index) => index === 0 || part > 0).map(([part, word]) => `${part} ${word}`);
  return markup`<div><dt>${name}</dt><dd>${count}</dd><dd>${shown.join(', ')}</dd></div>\n`;
}

/** What the section of the findings shows. */
export interface FindingsView {
  readonly fleet: Fleet;
  /** What the page leaves out, as sentences. */
  readonly notes: readonly string[];
  readonly linkTo: LinkTo;
  /** The address of the policies with findings of a kind; undefined when there is none. Default: none. */
  readonly allOf?: (kind: FindingKind) => string | undefined;
  /** How many findings of one kind, and how many notes, are shown. */
  readonly most: number;
}

export function findingsSection(view: FindingsView): Markup {
  const { findings, totals } = view.fleet;
  const groups = findingKinds.map((kind) => findingGroup(kind, view));
  const nothing =
    findings.length > 0
      ? undefined
      : markup`<p>${totals.policies === 0 ? noPolicies : 'Nothing needs attention.'}</p>\n`;
  return pageSection(
    'attention',
    'What needs attention',
    markup`${notesList(view.notes, view.most)}${groups}${nothing}`,
  );
}

const noPolicies =
  'There are no policies here. To see other ones, use --namespace or --all-namespaces. To write the first ones, use rolealerts export.';

function notesList(notes: readonly string[], most: number): Markup | undefined {
  if (notes.length === 0) return undefined;
  const items = notes.slice(0, most).map((note) => markup`<li>${note}</li>\n`);
  const rest = notes.length > most ? markup`<p class="rest">${notes.length - most} more.</p>` : undefined;
  return markup`<h3>Not on this page (${notes.length})</h3><ul class="findings">${items}</ul>${rest}\n`;
}

function findingGroup(kind: FindingKind, { fleet, linkTo, allOf, most }: FindingsView): Markup | undefined {
  const all = fleet.findings.filter((finding) => finding.kind === kind);
  if (all.length === 0) return undefined;
  const items = all.slice(0, most).map((finding) => findingItem(finding, linkTo));
  const rest =
    all.length > most ? markup`<p class="rest">${hiddenFindings(all.length - most, allOf?.(kind))}</p>` : undefined;
  return markup`<h3>${findingHeadings[kind]} (${all.length})</h3><ul class="findings">${items}</ul>${rest}\n`;
}

function hiddenFindings(count: number, address: string | undefined): Markup {
  if (address === undefined) return markup`${count} more are not shown.`;
  return markup`${count} more are not shown. <a href="${address}">Show all such policies</a>`;
}

function findingItem({ object, reason, message }: FleetFinding, linkTo: LinkTo): Markup {
  return markup`<li>${linked(object, linkTo(object))} <b>${reason}</b> ${message}</li>\n`;
}

/** `text`, as a link when there is an address. */
export function linked(text: string, address: string | undefined): Markup {
  return address === undefined ? markup`${text}` : markup`<a href="${address}">${text}</a>`;
}

/** `rows`: those to show, of all policies. */
export function policiesTable(rows: readonly PolicyRow[], linkTo: LinkTo, rest?: string): Markup {
  return dataTable({
    id: 'policy-table',
    caption: 'The policies, by namespace and name.',
    columns: [
      { name: 'Policy' },
      { name: 'Ready' },
      { name: 'Reason' },
      { name: 'Mode' },
      { name: 'In sync', isNumber: true },
      { name: 'Incidents', isNumber: true },
      { name: 'Scope' },
      { name: 'Connection' },
    ],
    rows: rows.map((row) => [
      linked(`${row.namespace}/${row.name}`, linkTo(`policy ${row.namespace}/${row.name}`)),
      row.ready === 'False' ? markup`<b class="bad">${row.ready}</b>` : row.ready,
      row.reason,
      row.mode,
      row.inSync,
      row.incidents,
      row.scope,
      row.connection,
    ]),
    rest,
  });
}
