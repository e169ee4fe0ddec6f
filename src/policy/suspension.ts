// Whether a policy is suspended at a given time. `suspendUntil` ends a suspension by itself.
import type { RoleAlertPolicySpec } from './generated/role-alert-policy.ts';

type Suspension = Pick<RoleAlertPolicySpec, 'suspend' | 'suspendUntil'>;

/** `suspendUntil` is exclusive and means nothing without `suspend`. */
export function isSuspended(spec: Suspension, nowMs: number): boolean {
  const endMs = suspensionEndMs(spec);
  return spec.suspend && (endMs === undefined || nowMs < endMs);
}

/**
 * Milliseconds since 1970; undefined when no time ends the suspension. An unreadable `suspendUntil`, which only an older
 * schema let through, is no end: the author asked for a suspension.
 */
export function suspensionEndMs({ suspend, suspendUntil }: Suspension): number | undefined {
  const endMs = Date.parse(suspendUntil ?? '');
  return suspend && !Number.isNaN(endMs) ? endMs : undefined;
}
