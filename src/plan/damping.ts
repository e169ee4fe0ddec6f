// How often a policy may turn one alert off that somebody keeps turning on. What is counted stands in its status, so that a restart
// changes nothing; turning on is never held.
import { canonicalName } from '../alerts/resource-id.ts';
import { parseDuration } from '../lib/duration.ts';
import { formatTimestamp } from '../lib/timestamp.ts';
import type { DeactivationCount } from '../policy/generated/role-alert-policy.ts';
import { requestedAtAnnotation, type RoleAlertPolicy } from '../policy/resources.ts';

const defaultWindowMs = 6 * 3_600_000;

function dampingWindowMs(policy: RoleAlertPolicy): number {
  return parseDuration(policy.spec.damping.window) ?? defaultWindowMs;
}

/** When the policy may turn the alert off again; undefined when it may now. Milliseconds since 1970. */
export function dampedUntilMs(policy: RoleAlertPolicy, alertName: string, nowMs: number): number | undefined {
  const row = policy.status?.alerts?.find(({ name }) => canonicalName(name) === canonicalName(alertName));
  const endMs = row?.deactivations && windowEndMs(row.deactivations, policy, nowMs);
  if (endMs === undefined || isAskedFor(policy)) return undefined;
  return (row?.deactivations?.count ?? 0) >= policy.spec.damping.maxDeactivations ? endMs : undefined;
}

/** With so many more that were seen just now. */
export function nextDeactivations(
  previous: DeactivationCount | undefined,
  seen: number,
  policy: RoleAlertPolicy,
  nowMs: number,
): DeactivationCount | undefined {
  if (seen === 0) return previous;
  const isOpen = previous && windowEndMs(previous, policy, nowMs) !== undefined;
  return isOpen
    ? { windowStart: previous.windowStart, count: previous.count + seen }
    : { windowStart: formatTimestamp(nowMs), count: seen };
}

/** Undefined once it is over, and when its start lies ahead: then a clock was wrong. */
function windowEndMs({ windowStart }: DeactivationCount, policy: RoleAlertPolicy, nowMs: number): number | undefined {
  const startMs = Date.parse(windowStart);
  const endMs = startMs + dampingWindowMs(policy);
  return startMs <= nowMs && nowMs < endMs ? endMs : undefined;
}

/** Somebody changed the spec or asked for a look, and no status tells yet that it was done: that lets one through. */
function isAskedFor({ metadata, status }: RoleAlertPolicy): boolean {
  const poke = metadata.annotations?.[requestedAtAnnotation];
  if (status?.observedGeneration !== metadata.generation) return true;
  return poke !== undefined && poke.slice(0, pokeLimit) !== status.lastHandledReconcileAt;
}

/** Longest echo of the annotation that the schema takes. */
export const pokeLimit = 256;
