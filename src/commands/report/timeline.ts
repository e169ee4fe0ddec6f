// Which dismissals and suspensions end in the days ahead. Computed from the specs, and from the statuses where there are any.
import { sameName } from '../../alerts/resource-id.ts';
import { byText } from '../../lib/compare-text.ts';
import { withoutUndefined } from '../../lib/json-shape.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import { dismissalEndMs } from '../../policy/dismissal.ts';
import type { AlertStatus, PolicyAlert } from '../../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { namespacedName } from '../../policy/scope-ref.ts';
import { isSuspended, suspensionEndMs } from '../../policy/suspension.ts';
import type { Section } from './model.ts';

/** What changes, each with its words. */
const changeWords = { DismissalEnds: 'dismissal ends', SuspensionEnds: 'suspension ends' } as const;

/** The end of one of them. */
interface TimelineChange {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly kind: keyof typeof changeWords;
  /** `policy NAMESPACE/NAME`. */
  readonly object: string;
  /** What changes then: a sentence without a full stop. */
  readonly effect: string;
  readonly scope: string;
  readonly alert?: string;
  /** The reason of the dismissal. */
  readonly reason?: string;
}

export interface TimelineInput {
  readonly policies: readonly RoleAlertPolicy[];
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** The end of the time that is shown; milliseconds since 1970. */
  readonly untilMs: number;
}

/** The entries after `fromMs` in the order of time, and what they leave out as sentences. */
type Timeline = ReturnType<typeof timelineOf>;

export function timelineOf({ policies, nowMs, untilMs }: TimelineInput) {
  const entries = policies.flatMap(changesOf).filter(({ atMs }) => atMs > nowMs && atMs <= untilMs);
  return {
    fromMs: nowMs,
    untilMs,
    entries: entries.sort((a, b) => a.atMs - b.atMs || byText(a.object, b.object) || byText(a.effect, b.effect)),
    notes: endlessNote(policies, nowMs),
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

/** Past ones included. */
function changesOf(policy: RoleAlertPolicy): readonly TimelineChange[] {
  return [...(policy.spec.alerts ?? []).flatMap((each) => endOf(policy, each)), ...suspensionEnd(policy)];
}

/** How many dismissals in force have no end. */
function endlessDismissals({ spec }: RoleAlertPolicy, nowMs: number): number {
  if (isSuspended(spec, nowMs)) return 0;
  return (spec.alerts ?? []).filter(({ dismissal }) => dismissal && dismissalEndMs(dismissal) === undefined).length;
}

function endOf(policy: RoleAlertPolicy, { name: alert, dismissal }: PolicyAlert): readonly TimelineChange[] {
  if (!dismissal) return [];
  const atMs = dismissalEndMs(dismissal);
  if (atMs === undefined) return [];
  const effect = effectOfEnd(policy, alert, atMs);
  const object = `policy ${namespacedName(policy)}`;
  const { reason } = dismissal;
  return [{ atMs, kind: 'DismissalEnds', object, effect, scope: policy.spec.scope, alert, reason }];
}

function effectOfEnd(policy: RoleAlertPolicy, alert: string, atMs: number): string {
  const row = rowOf(policy, alert);
  if (row?.live === 'Missing') return `nothing, unless the service lists ${alert} until then`;
  if (correctsAt(policy, atMs))
    return `the operator activates ${alert}${row?.live === 'Active' ? ' if it is inactive then' : ''}`;
  const why = isSuspended(policy.spec, atMs) ? 'the policy is suspended' : 'the policy only observes';
  return `the operator activates ${alert} only if it deactivated it, because ${why}`;
}

function rowOf({ status }: RoleAlertPolicy, alert: string): AlertStatus | undefined {
  return status?.alerts?.find(({ name }) => sameName(name, alert));
}

/** Whether the policy corrects drift at that time; milliseconds since 1970. */
function correctsAt({ spec, status }: RoleAlertPolicy, atMs: number): boolean {
  return (status?.effective?.mode ?? spec.mode) === 'Enforce' && !isSuspended(spec, atMs);
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

export function timelineSection({ fromMs, untilMs, entries, notes }: Timeline): Section {
  const [from, until] = [formatTimestamp(fromMs), formatTimestamp(untilMs)];
  return {
    id: 'timeline',
    heading: `What ends within ${Math.round((untilMs - fromMs) / 86_400_000)} days`,
    columns: [
      ...['time', 'in', 'what', 'object', 'effect'].map((name) => ({ name })),
      ...['scope', 'reason'].map((name) => ({ name, isWide: true })),
    ],
    rows: entries.map(({ atMs, kind, object, effect, scope, reason = '' }) => ({
      cells: [formatTimestamp(atMs), timeLeft(atMs - fromMs), changeWords[kind], object, effect, scope, reason],
    })),
    nothing: `No dismissal or suspension ends until ${until}.`,
    notes,
    data: {
      timeline: {
        from,
        until,
        entries: entries.map(({ atMs, ...entry }) => withoutUndefined({ time: formatTimestamp(atMs), ...entry })),
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
