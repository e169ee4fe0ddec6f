// The register at rest: what the status of a connection shows of each dismissal, computed from the policy that it names.
import type { DismissedAlert } from '../dismissed-alerts.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import type { StoredObject } from '../kube/object.ts';
import { type Json, textOf } from '../kube/spec-rules.ts';
import { lineOf } from './declared.ts';
import { entriesOf, type Entry } from './ledger.ts';

/** From the time that an entry says to the deactivation in the service: the send, and the longest way there. */
const oldestEntryMs = 300_000;

/** What is wrong with the register as a whole: its order and its count. */
export function registerProblems(connection: StoredObject): string[] {
  const ends = entriesOf(connection).map(({ until }) => (until === undefined ? Infinity : Date.parse(until)));
  const isSorted = ends.every((end, index) => index === 0 || (ends[index - 1] ?? end) <= end);
  const count = Number((connection.status ?? {})['dismissalCount'] ?? 0);
  return [
    ...(isSorted ? [] : ['its register is not sorted by the end']),
    ...(count === ends.length ? [] : [`counts ${count} dismissals and lists ${ends.length}`]),
  ];
}

/** `policy`: the one that declares the entry's dismissal; undefined when none does. */
export function shownProblems(entry: Entry, policy: StoredObject | undefined): string[] {
  const dismissal = policy && ((lineOf(policy, entry.alert)?.['dismissal'] ?? {}) as Json);
  const expected = dismissal ? shownOf(dismissal) : {};
  return (['until', 'incidents', 'maxIncidents', 'reason'] as const)
    .filter((member) => entry[member] !== expected[member])
    .map((member) => `shows ${member} ${entry[member]} and not ${expected[member]}`);
}

function shownOf({ until, incidents, maxIncidents, reason }: Json): Partial<Entry> {
  const text = textOf(reason);
  return {
    ...(typeof until === 'string' && { until: `${new Date(until).toISOString().slice(0, 19)}Z` }),
    ...(Array.isArray(incidents) && { incidents: incidents.length }),
    ...(typeof maxIncidents === 'number' && { maxIncidents }),
    reason: text.length > 120 ? `${text.slice(0, 119)}…` : text,
  };
}

/** True for an entry whose `since` is of an earlier deactivation than the one that the service made last. */
export function isOutdated({ since }: Entry, { atMs }: Pick<DismissedAlert, 'atMs'>): boolean {
  return Date.parse(since) < startOfTimeMs + atMs - oldestEntryMs;
}
