// What time alone changes in the days ahead: dismissals and suspensions end, correction windows open and close. Computed from the
// specs, and from the statuses where there are any.
import { sameName } from '../../alerts/resource-id.ts';
import { byText } from '../../lib/compare-text.ts';
import { parseDuration } from '../../lib/duration.ts';
import { withoutUndefined } from '../../lib/json-shape.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import { connectionName } from '../../operator/reasons/message-facts.ts';
import { connectionKeyOf } from '../../policy/connection-key.ts';
import { dismissalEndMs, needsEnd } from '../../policy/dismissal.ts';
import type { AlertStatus, Dismissal, PolicyAlert } from '../../policy/generated/role-alert-policy.ts';
import type { AnyConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import { namespacedName } from '../../policy/scope-ref.ts';
import { isSuspended, suspensionEndMs } from '../../policy/suspension.ts';
import { objectCell, type Section } from './model.ts';
import { changeWords, correctsAt, type TimelineChange, windowEntries } from './timeline-windows.ts';

export interface TimelineInput {
  readonly policies: readonly RoleAlertPolicy[];
  readonly connections: readonly AnyConnection[];
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** The end of the time that is shown; milliseconds since 1970. */
  readonly untilMs: number;
}

/** The entries after `fromMs` in the order of time, and what they leave out as sentences. */
type Timeline = ReturnType<typeof timelineOf>;

export function timelineOf({ policies, connections, nowMs, untilMs }: TimelineInput) {
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

/** Past ones included. `connection`: undefined when it is not known. */
function dismissalEntries(
  policy: RoleAlertPolicy,
  connection: AnyConnection | undefined,
  nowMs: number,
): readonly TimelineChange[] {
  const declared = policy.spec.alerts ?? [];
  return [
    ...declared.flatMap((each) => endOf(policy, each)),
    ...declared.flatMap((each) => allowedAt(policy, each, connection, nowMs)),
    ...suspensionEnd(policy),
  ];
}

/** How many dismissals in force have no end. */
function endlessDismissals({ spec }: RoleAlertPolicy, nowMs: number): number {
  if (isSuspended(spec, nowMs)) return 0;
  return (spec.alerts ?? []).filter(({ dismissal }) => dismissal && dismissalEndMs(dismissal) === undefined).length;
}

function entryOf(
  policy: RoleAlertPolicy,
  { name, dismissal }: PolicyAlert,
  entry: Pick<TimelineChange, 'atMs' | 'kind' | 'effect'>,
): TimelineChange {
  const reason = dismissal && { reason: dismissal.reason };
  return { ...entry, object: `policy ${namespacedName(policy)}`, scope: policy.spec.scope, alert: name, ...reason };
}

function endOf(policy: RoleAlertPolicy, declared: PolicyAlert): readonly TimelineChange[] {
  const atMs = declared.dismissal && dismissalEndMs(declared.dismissal);
  if (atMs === undefined) return [];
  return [entryOf(policy, declared, { atMs, kind: 'DismissalEnds', effect: effectOfEnd(policy, declared.name, atMs) })];
}

function effectOfEnd(policy: RoleAlertPolicy, alert: string, atMs: number): string {
  const row = rowOf(policy, alert);
  if (row?.live === 'Active') return `${alert} stays active, as it is now`;
  if (row?.live === 'Missing') return `nothing, unless the service lists ${alert} until then`;
  if (correctsAt(policy, atMs)) return `the operator activates ${alert}`;
  const why = isSuspended(policy.spec, atMs) ? 'the policy is suspended' : 'the policy only observes';
  return `the operator activates ${alert} only if it deactivated it, because ${why}`;
}

function rowOf({ status }: RoleAlertPolicy, alert: string): AlertStatus | undefined {
  return status?.alerts?.find(({ name }) => sameName(name, alert));
}

/** A dismissal that ends too far ahead is denied until its end is within `limits.maxDismissal`. */
function allowedAt(
  policy: RoleAlertPolicy,
  declared: PolicyAlert,
  connection: AnyConnection | undefined,
  nowMs: number,
): readonly TimelineChange[] {
  if (connection?.spec.deactivation !== 'Allow') return [];
  const { maxDismissal } = connection.spec.limits;
  const atMs = allowedAtMs(declared.dismissal, connection.spec.limits);
  if (atMs === undefined || atMs <= nowMs || !correctsAt(policy, atMs)) return [];
  const effect = `the end of the dismissal of ${declared.name} comes within limits.maxDismissal (${maxDismissal}): the operator may deactivate it`;
  return [entryOf(policy, declared, { atMs, kind: 'DismissalAllowed', effect })];
}

function allowedAtMs(dismissal: Dismissal | undefined, limits: AnyConnection['spec']['limits']): number | undefined {
  const maxDismissalMs = parseDuration(limits.maxDismissal);
  const endMs = dismissal && needsEnd(dismissal, limits) ? dismissalEndMs(dismissal) : undefined;
  return endMs === undefined || maxDismissalMs === undefined ? undefined : endMs - maxDismissalMs;
}

function suspensionEnd(policy: RoleAlertPolicy): readonly TimelineChange[] {
  const atMs = suspensionEndMs(policy.spec);
  if (atMs === undefined) return [];
  const effect = correctsAt(policy, atMs)
    ? 'the operator reconciles the policy again and corrects drift'
    : 'the operator reconciles the policy again and reports drift';
  return [
    { atMs, kind: 'SuspensionEnds', object: `policy ${namespacedName(policy)}`, scope: policy.spec.scope, effect },
  ];
}

/** Changes of one combination of windows beyond this number are counted. */
const shownOfWindows = 4;

export function timelineSection({ fromMs, untilMs, entries, notes }: Timeline): Section {
  const [from, until] = [formatTimestamp(fromMs), formatTimestamp(untilMs)];
  return {
    id: 'timeline',
    heading: `What time alone changes within ${Math.round((untilMs - fromMs) / 86_400_000)} days`,
    columns: [
      ...['time', 'in', 'what', 'object', 'effect'].map((name) => ({ name })),
      ...['scope', 'reason'].map((name) => ({ name, isWide: true })),
    ],
    rows: entries.map(({ atMs, kind, object, effect, scope = '', reason = '', windows }) => ({
      cells: [
        formatTimestamp(atMs),
        timeLeft(atMs - fromMs),
        changeWords[kind],
        objectCell(object),
        effect,
        scope,
        reason,
      ],
      group: windows,
    })),
    nothing: `Nothing changes by itself until ${until}.`,
    mostOfGroup: shownOfWindows,
    notes,
    data: {
      timeline: {
        from,
        until,
        entries: entries.map(({ atMs, windows: _windows, ...entry }) =>
          withoutUndefined({ time: formatTimestamp(atMs), ...entry }),
        ),
      },
    },
  };
}

/** Rounded down, as kubectl shows ages: `45m`, `36h`, `12d`. */
export function timeLeft(leftMs: number): string {
  const minutes = Math.floor(leftMs / 60_000);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}
