// The deactivations that were sent through a connection, whatever policy declared them and whatever their result. They bound how often an
// alert is deactivated within the damping window, and how many alerts within an hour. Nothing lifts that but time.
import { parseDuration } from '../../lib/duration.ts';
import type { RecentDeactivation } from '../../policy/generated/role-alert-connection.ts';
import { type AnyConnection, clusterConnectionKind, type RoleAlertPolicy } from '../../policy/resources.ts';

export const hourMs = 3_600_000;
/** The window where no policy names one. */
const defaultWindowMs = 6 * hourMs;

/** The number of deactivations that the schema allows in the status of a connection. */
export const recentLimit = 500;

/** The longest damping window of the policies at a scope; milliseconds. */
export function longestDampingWindowMs(policies: readonly RoleAlertPolicy[]): number {
  return policies.length === 0 ? defaultWindowMs : Math.max(...policies.map(dampingWindowMs));
}

/** The damping window of the policy; milliseconds. */
export function dampingWindowMs({ spec }: Pick<RoleAlertPolicy, 'spec'>): number {
  return parseDuration(spec.damping.window) ?? defaultWindowMs;
}

/**
 * How long ago it was; milliseconds. A time in the future comes from another clock, so it counts as now: after a fail-over to a clock
 * an hour behind, the hour still holds.
 */
export function ageMs({ at }: RecentDeactivation, nowMs: number): number {
  return Math.max(nowMs - Date.parse(at), 0);
}

/** How many there are of each namespace; undefined unless namespaces share the connection. */
export function countsByNamespace(
  { kind }: Pick<AnyConnection, 'kind'>,
  recent: readonly RecentDeactivation[],
): ReadonlyMap<string, number> | undefined {
  if (kind !== clusterConnectionKind) return undefined;
  const groups = Map.groupBy(recent, ({ namespace }) => namespace);
  return new Map([...groups].map(([namespace, of]) => [namespace, of.length]));
}

/**
 * When the policy may deactivate the alert again, in milliseconds since 1970; undefined when it may now. `sentMs`: when the alert was
 * deactivated through the connection, the oldest first.
 */
export function dampedUntilMs(
  policy: Pick<RoleAlertPolicy, 'spec'>,
  sentMs: readonly number[],
  nowMs: number,
): number | undefined {
  const windowMs = dampingWindowMs(policy);
  const within = sentMs.filter((ms) => nowMs - ms < windowMs);
  const first = within.at(-policy.spec.damping.maxDeactivations);
  return first === undefined ? undefined : first + windowMs;
}
