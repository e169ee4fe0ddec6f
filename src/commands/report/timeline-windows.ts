// When correction windows open and close, and which deactivations wait for them. Policies of one connection with the same windows
// share their entries.
import { formatTimestamp } from '../../lib/timestamp.ts';
import { connectionName } from '../../operator/reasons/message-facts.ts';
import { connectionKeyOf } from '../../policy/connection-key.ts';
import type { WindowSet } from '../../policy/correction-windows.ts';
import { dismissalEndMs } from '../../policy/dismissal.ts';
import type { AnyConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import { namespacedName } from '../../policy/scope-ref.ts';
import { isSuspended } from '../../policy/suspension.ts';
import { type WindowChange, windowChanges } from '../../policy/window-changes.ts';

/** What changes, each with its words. */
export const changeWords = {
  DismissalEnds: 'dismissal ends',
  DismissalAllowed: 'dismissal allowed',
  SuspensionEnds: 'suspension ends',
  WindowsOpen: 'windows open',
  WindowsClose: 'windows close',
} as const;

/** One moment at which time alone changes what the operator does. */
export interface TimelineChange {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly kind: keyof typeof changeWords;
  /** `policy NAMESPACE/NAME`, or the connection. */
  readonly object: string;
  /** What changes then: a sentence without a full stop. */
  readonly effect: string;
  readonly scope?: string;
  readonly alert?: string;
  /** The reason of the dismissal. */
  readonly reason?: string;
  /** Entries of the same windows have the same number. */
  readonly windows?: number;
}

/** Whether the policy corrects drift at that time; milliseconds since 1970. */
export function correctsAt({ spec, status }: RoleAlertPolicy, atMs: number): boolean {
  return (status?.effective?.mode ?? spec.mode) === 'Enforce' && !isSuspended(spec, atMs);
}

interface WindowTimeline {
  readonly entries: readonly TimelineChange[];
  readonly notes: readonly string[];
}

/** What shares one combination of windows. */
interface Group {
  readonly object: string;
  readonly sets: readonly WindowSet[];
  readonly policies: RoleAlertPolicy[];
}

/** From `fromMs` to `untilMs`, both in milliseconds since 1970. */
export function windowEntries(
  policies: readonly RoleAlertPolicy[],
  connections: readonly AnyConnection[],
  fromMs: number,
  untilMs: number,
): WindowTimeline {
  const found = groupsOf(policies, connections).map((group, index) => timelineOfGroup(group, index, fromMs, untilMs));
  return { entries: found.flatMap(({ entries }) => entries), notes: found.flatMap(({ notes }) => notes) };
}

/** Groups with windows: each connection that has some, and the policies that have their own. */
function groupsOf(policies: readonly RoleAlertPolicy[], connections: readonly AnyConnection[]): readonly Group[] {
  const groups = new Map<string, Group>();
  const windowsOfConnection = new Map<string, WindowSet>();
  for (const connection of connections) {
    const key = namespacedName(connection);
    const windows = connection.spec.correctionWindows ?? [];
    windowsOfConnection.set(key, windows);
    groups.set(groupKey(key, []), { object: connectionName('connection', key), sets: [windows], policies: [] });
  }
  for (const policy of policies) {
    const key = connectionKeyOf(policy);
    const own = policy.spec.correctionWindows ?? [];
    const group = groups.get(groupKey(key, own));
    const sets = [own, windowsOfConnection.get(key) ?? []];
    if (group) group.policies.push(policy);
    else groups.set(groupKey(key, own), { object: `policy ${namespacedName(policy)}`, sets, policies: [policy] });
  }
  return [...groups.values()].filter(({ sets }) => sets.some((windows) => windows.length > 0));
}

const groupKey = (connection: string, own: WindowSet) => JSON.stringify([connection, own]);

function timelineOfGroup(group: Group, index: number, fromMs: number, untilMs: number): WindowTimeline {
  const found = windowChanges(group.sets, fromMs, untilMs);
  if (!found) {
    const note = `The correction windows of ${nameOf(group)} stay closed, because one of them cannot be read: rolealerts validate names it.`;
    return { entries: [], notes: [note] };
  }
  const { changes, knownUntilMs } = found;
  const entries = changes.map((change, place) => entryOf(group, index, change, changes[place + 1]));
  return { entries, notes: notesOf(group, found, knownUntilMs < untilMs ? knownUntilMs : undefined) };
}

function notesOf(
  group: Group,
  { isOpen, changes }: { readonly isOpen: boolean; readonly changes: readonly WindowChange[] },
  cutMs: number | undefined,
): readonly string[] {
  const name = nameOf(group);
  if (cutMs !== undefined)
    return [
      `The correction windows of ${name} change too often: their changes after ${formatTimestamp(cutMs)} are left out.`,
    ];
  if (changes.length > 0) return [];
  return [`The correction windows of ${name} stay ${isOpen ? 'open' : 'closed'} during that time.`];
}

/** Named after the first of the policies. */
function nameOf({ object, sets, policies }: Group): string {
  const others = sets.length === 1 ? 0 : policies.length - 1;
  return others === 0 ? object : `${object} and ${others} more`;
}

function entryOf(
  group: Group,
  windows: number,
  { atMs, isOpen }: WindowChange,
  next: WindowChange | undefined,
): TimelineChange {
  const object = nameOf(group);
  if (isOpen) return { atMs, kind: 'WindowsOpen', object, effect: effectOfOpening(group, atMs), windows };
  const until = next ? `until ${formatTimestamp(next.atMs)}` : 'beyond the end of this timeline';
  return { atMs, kind: 'WindowsClose', object, effect: `deactivations wait ${until}`, windows };
}

function effectOfOpening({ policies }: Group, atMs: number): string {
  const acting = policies.filter((policy) => correctsAt(policy, atMs));
  const waiting = acting.flatMap(waitingOf);
  if (waiting.length > 0)
    return `the operator may deactivate ${listed(waiting)}, which ${waiting.length === 1 ? 'waits' : 'wait'} for it`;
  const declared = acting.reduce((sum, policy) => sum + declaredAt(policy, atMs), 0);
  if (declared === 0) return 'the operator may deactivate alerts, but no policy declares a dismissal for that time';
  return `the operator may deactivate alerts; ${declared === 1 ? '1 dismissal is' : `${declared} dismissals are`} declared for that time`;
}

/** The deactivations that the status shows as held. */
function waitingOf(policy: RoleAlertPolicy): readonly string[] {
  const rows = (policy.status?.alerts ?? []).filter(({ result, want }) => result === 'Held' && want === 'Inactive');
  return rows.map(({ name }) => `${name} of policy ${namespacedName(policy)}`);
}

function declaredAt({ spec }: RoleAlertPolicy, atMs: number): number {
  return (spec.alerts ?? []).filter(({ dismissal }) => dismissal && (dismissalEndMs(dismissal) ?? Infinity) > atMs)
    .length;
}

const shownNames = 3;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, shownNames).join(', ');
  return names.length > shownNames ? `${shown} and ${names.length - shownNames} more` : shown;
}
