// The fleet as text for a terminal or a pipe.
import { cleanMessage, cleanText } from '../../lib/clean-text.ts';
import { alignColumns, cutLine } from '../../lib/columns.ts';
import { type FleetFinding, type FindingKind, findingKinds, type Fleet, type FleetTotals } from './fleet.ts';
import { shortNames } from './object-name.ts';

/** Of each kind of finding. */
export const findingHeadings: Readonly<Record<FindingKind, string>> = {
  Stalled: 'Stalled policies',
  NotReady: 'Policies that are not ready',
  Drifted: 'Drifted alerts',
  Firing: 'Open incidents',
  DismissalEnds: 'Dismissals that end within 7 days',
  Shard: 'Connections that no operator serves, or several',
  Connection: 'Connections that are not ready',
  Capacity: 'Connections without enough requests per hour',
  Waiting: 'Policies that wait',
};

/** Findings of one kind beyond this number are counted. */
const shownOfKind = 10;

export interface FleetTextOptions {
  /** The width of a terminal; 0 for a pipe, whose lines are never cut. */
  readonly columns: number;
  /** Also lists every policy and connection, and all findings. */
  readonly isWide: boolean;
  /** The only namespace that was read; undefined for all of them. */
  readonly namespace?: string | undefined;
}

export function fleetText(fleet: Fleet, options: FleetTextOptions): string {
  const { totals, findings } = fleet;
  const sections = [
    totalsText(totals, options),
    ...findingKinds.flatMap((kind) => findingSection(kind, findings, options)),
  ];
  if (findings.length === 0 && totals.policies > 0) sections.push('Nothing needs attention.\n');
  if (options.isWide && totals.policies > 0) sections.push(policyTable(fleet, options.columns));
  if (options.isWide && totals.connections > 0) sections.push(connectionTable(fleet, options.columns));
  return sections.join('\n');
}

function totalsText(totals: FleetTotals, { namespace }: FleetTextOptions): string {
  if (totals.policies === 0 && totals.connections === 0) {
    const place = namespace === undefined ? '' : ` in namespace ${namespace}; --all-namespaces reads the others`;
    return `No policies and no connections found${place}.\n`;
  }
  const rows = [
    [
      'Policies',
      `${totals.policies}`,
      parts([
        [totals.ready, 'ready'],
        [totals.stalled, 'stalled'],
        [totals.suspended, 'suspended'],
      ]),
    ],
    [
      'Declared alerts',
      `${totals.declared}`,
      parts([
        [totals.inSync, 'in sync'],
        [totals.drifted, 'drifted'],
        [totals.missing, 'missing'],
        [totals.dismissed, 'dismissed'],
      ]),
    ],
    ['Incidents', `${totals.incidents}`, parts([[totals.highIncidents, 'of severity High']])],
    ['Connections', `${totals.connections}`, parts([[totals.connectionsReady, 'ready']])],
    ...(totals.connections > 0 ? [requestsRow(totals)] : []),
  ];
  return `${alignColumns(rows).join('\n')}\n`;
}

function requestsRow({ predictedRequestsPerHour, allowedRequestsPerHour }: FleetTotals): readonly string[] {
  return ['Requests an hour', `${predictedRequestsPerHour}`, `of ${allowedRequestsPerHour} that the connections allow`];
}

function parts(counts: readonly (readonly [number, string])[]): string {
  const shown = counts.filter(([count], index) => index === 0 || count > 0);
  return shown.map(([count, word]) => `${count} ${word}`).join(', ');
}

function findingSection(
  kind: FindingKind,
  findings: readonly FleetFinding[],
  { columns, isWide }: FleetTextOptions,
): readonly string[] {
  const all = findings.filter((finding) => finding.kind === kind);
  if (all.length === 0) return [];
  const shown = isWide ? all : all.slice(0, shownOfKind);
  const rows = shown.map(({ object, reason, message }) => [`  ${object}`, cleanText(reason), cleanMessage(message)]);
  const more = all.length - shown.length;
  const rest = more > 0 ? [`  … and ${more} more; --output wide lists them`] : [];
  return [`${[`${findingHeadings[kind]} (${all.length})`, ...fitted(rows, columns), ...rest].join('\n')}\n`];
}

function policyTable({ policies }: Fleet, columns: number): string {
  const rows = policies.map((row) => [
    row.namespace,
    row.name,
    row.ready,
    cleanText(row.reason),
    row.mode,
    cleanText(row.inSync),
    String(row.incidents),
    row.scope,
    `${shortNames[row.connectionKind]}/${row.connection}`,
  ]);
  const head = ['NAMESPACE', 'NAME', 'READY', 'REASON', 'MODE', 'IN-SYNC', 'INCIDENTS', 'SCOPE', 'CONNECTION'];
  return `${fitted([head, ...rows], columns).join('\n')}\n`;
}

function connectionTable({ connections }: Fleet, columns: number): string {
  const rows = connections.map((row) => [
    row.namespace ?? '',
    `${shortNames[row.kind]}/${row.name}`,
    row.ready,
    cleanText(row.reason),
    String(row.policies),
    String(row.scopes),
    String(row.dismissals),
    String(row.predictedRequestsPerHour ?? ''),
    String(row.allowedRequestsPerHour),
  ]);
  const head = [
    'NAMESPACE',
    'CONNECTION',
    'READY',
    'REASON',
    'POLICIES',
    'SCOPES',
    'DISMISSALS',
    'REQUESTS/H',
    'ALLOWED/H',
  ];
  return `${fitted([head, ...rows], columns).join('\n')}\n`;
}

function fitted(rows: readonly (readonly string[])[], columns: number): readonly string[] {
  const lines = alignColumns(rows);
  return columns === 0 ? lines : lines.map((line) => cutLine(line, columns));
}
