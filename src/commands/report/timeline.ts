// What time alone changes in the days ahead: dismissals and suspensions end, correction windows open and close. Computed from the
// specs, and from the statuses where there are any.
import { byText } from '../../lib/by-text.ts';
import { connectionName } from '../../operator/reasons/message-facts.ts';
import { connectionKeyOf } from '../../policy/connection-key.ts';
import type { AnyConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import { namespacedName } from '../../policy/scope-ref.ts';
import type { TimelineChange } from './timeline-change.ts';
import { dismissalEntries, endlessDismissals } from './timeline-dismissals.ts';
import { windowEntries } from './timeline-windows.ts';

export interface TimelineInput {
  readonly policies: readonly RoleAlertPolicy[];
  readonly connections: readonly AnyConnection[];
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** The end of the time that is shown; milliseconds since 1970. */
  readonly untilMs: number;
}

export interface Timeline {
  readonly fromMs: number;
  readonly untilMs: number;
  /** After `fromMs`, in the order of time. */
  readonly entries: readonly TimelineChange[];
  /** What the entries leave out, as sentences. */
  readonly notes: readonly string[];
}

export function timelineOf({ policies, connections, nowMs, untilMs }: TimelineInput): Timeline {
  const byKey = new Map(connections.map((connection) => [namespacedName(connection), connection]));
  const windows = windowEntries(policies, connections, nowMs, untilMs);
  const dismissals = policies.flatMap((policy) => dismissalEntries(policy, byKey.get(connectionKeyOf(policy)), nowMs));
  const entries = [...dismissals, ...windows.entries].filter(({ atMs }) => atMs > nowMs && atMs <= untilMs);
  return {
    fromMs: nowMs,
    untilMs,
    entries: entries.sort((a, b) => a.atMs - b.atMs || byText(a.object, b.object) || byText(a.effect, b.effect)),
    notes: [...windows.notes, ...endlessNote(policies, nowMs), ...unknownConnections(policies, byKey)],
  };
}

function endlessNote(policies: readonly RoleAlertPolicy[], nowMs: number): readonly string[] {
  const count = policies.reduce((sum, policy) => sum + endlessDismissals(policy, nowMs), 0);
  if (count === 0) return [];
  return [
    count === 1
      ? '1 dismissal has no end: only an incident beyond those that it names, or an edit, ends it.'
      : `${count} dismissals have no end: only an incident beyond those that they name, or an edit, ends them.`,
  ];
}

function unknownConnections(
  policies: readonly RoleAlertPolicy[],
  byKey: ReadonlyMap<string, AnyConnection>,
): readonly string[] {
  const unknown = new Set(policies.map(connectionKeyOf).filter((key) => !byKey.has(key)));
  return [...unknown].map(
    (key) =>
      `${connectionName('Connection', key)} was not read, so its correction windows and limits are not considered.`,
  );
}
