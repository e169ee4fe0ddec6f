// The dismissals in force, from the registers of the connections.
import { byText } from '../../lib/by-text.ts';
import type { DismissalRecord } from '../../policy/generated/role-alert-connection.ts';
import type { AnyConnection } from '../../policy/resources.ts';

export interface DismissalRow extends Pick<
  DismissalRecord,
  'alert' | 'scope' | 'policy' | 'since' | 'until' | 'reason'
> {
  /** What else ends it. */
  readonly bound: string;
}

/** The next one that ends comes first; those without an end come last. */
export function dismissalRows(connections: readonly AnyConnection[]): readonly DismissalRow[] {
  return connections
    .flatMap(({ status }) => status?.dismissals ?? [])
    .map(rowOf)
    .sort(byEnd);
}

function rowOf(record: DismissalRecord): DismissalRow {
  return { ...record, bound: boundOf(record) };
}

function boundOf({ incidents, maxIncidents, until }: DismissalRecord): string {
  if (incidents !== undefined) return `an incident beyond the ${incidents} that it names`;
  if (maxIncidents !== undefined) return `more than ${maxIncidents} incidents`;
  return until === undefined ? 'no policy declares it: the operator activates the alert' : '';
}

function byEnd(left: DismissalRow, right: DismissalRow): number {
  return endOf(left) - endOf(right) || byText(left.scope, right.scope) || byText(left.alert, right.alert);
}

function endOf({ until }: DismissalRow): number {
  return until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(until);
}
