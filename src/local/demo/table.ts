// The demo's screen as text: a table of the samples, the latest events, and what to try next. Drawing it is the caller's.
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { readyOf } from './compare.ts';
import type { Sample } from './samples.ts';

/** One event of the timeline. */
export interface TimelineEntry {
  /** RFC 3339. */
  readonly at: string;
  readonly policy: string;
  readonly reason: string;
  readonly note: string;
}

const head = ['POLICY', 'SHOWS', 'READY', 'REASON', 'IN-SYNC', 'INCIDENTS', 'ALERT'];

/** Lines no longer than `columns`. */
export function renderTable(
  samples: readonly Sample[],
  policyOf: (name: string) => RoleAlertPolicy | undefined,
  columns: number,
): readonly string[] {
  const rows = samples.map((sample) => rowOf(sample, policyOf(sample.name)));
  const widths = head.map((title, column) =>
    Math.max(...[title, ...rows.map((row) => row[column] ?? '')].map(({ length }) => length)),
  );
  return [head, ...rows].map((row) =>
    cut(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '), columns),
  );
}

function rowOf(sample: Sample, policy: RoleAlertPolicy | undefined): readonly string[] {
  const [ready = '-', reason = '-'] = readyOf(policy).split('/');
  const alert = policy?.status?.alerts?.find(({ name }) => name === sample.alert);
  return [
    sample.name,
    sample.shows,
    ready,
    reason,
    policy?.status?.summary?.inSyncText ?? '-',
    String(policy?.status?.summary?.incidents ?? '-'),
    alert ? `${alert.live}, ${alert.state}` : '-',
  ];
}

/** The newest last. */
export function renderTimeline(entries: readonly TimelineEntry[], lines: number, columns: number): readonly string[] {
  return entries.slice(-lines).map((entry) => cut(renderEntry(entry), columns));
}

export function renderEntry({ at, policy, reason, note }: TimelineEntry): string {
  return `${at.slice(11, 19)}  ${policy}  ${reason}: ${note}`;
}

export interface NextSteps {
  readonly kubectl: string;
  readonly curl: string;
  readonly poke: string;
}

export function renderNextSteps(steps: NextSteps): readonly string[] {
  return [
    'Try next, in another terminal:',
    '  look at everything the operator knows:',
    `    ${steps.kubectl}`,
    '  turn an alert off behind its back, and see it repaired here within 5 s:',
    `    ${steps.curl}`,
    '  ask for a look now:',
    `    ${steps.poke}`,
  ];
}

function cut(line: string, columns: number): string {
  const trimmed = line.trimEnd();
  return trimmed.length <= columns ? trimmed : `${trimmed.slice(0, Math.max(columns - 1, 0))}…`;
}
