// The ends of the dismissals and of the suspension of one policy, and what happens then.
import { sameName } from '../../alerts/resource-id.ts';
import { parseDuration } from '../../lib/duration.ts';
import { dismissalEndMs, namesIncidents } from '../../policy/dismissal.ts';
import type { AlertStatus, Dismissal, PolicyAlert } from '../../policy/generated/role-alert-policy.ts';
import type { AnyConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import { namespacedName } from '../../policy/scope-ref.ts';
import { isSuspended, suspensionEndMs } from '../../policy/suspension.ts';
import type { TimelineChange } from './timeline-change.ts';

/** Past ones included. `connection`: undefined when it is not known. */
export function dismissalEntries(
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
export function endlessDismissals({ spec }: RoleAlertPolicy, nowMs: number): number {
  if (isSuspended(spec, nowMs)) return 0;
  return (spec.alerts ?? []).filter(({ dismissal }) => dismissal && dismissalEndMs(dismissal) === undefined).length;
}

/** Whether the policy corrects drift at that time; milliseconds since 1970. */
export function correctsAt({ spec, status }: RoleAlertPolicy, atMs: number): boolean {
  return (status?.effective?.mode ?? spec.mode) === 'Enforce' && !isSuspended(spec, atMs);
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
  const atMs = allowedAtMs(declared.dismissal, parseDuration(maxDismissal));
  if (atMs === undefined || atMs <= nowMs || !correctsAt(policy, atMs)) return [];
  const effect = `the end of the dismissal of ${declared.name} comes within limits.maxDismissal (${maxDismissal}): the operator may deactivate it`;
  return [entryOf(policy, declared, { atMs, kind: 'DismissalAllowed', effect })];
}

function allowedAtMs(dismissal: Dismissal | undefined, maxDismissalMs: number | undefined): number | undefined {
  const endMs = dismissal && !namesIncidents(dismissal) ? dismissalEndMs(dismissal) : undefined;
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
