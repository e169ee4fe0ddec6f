// What one scope needs of the rate limit of its connection while nothing drifts.
import type { AnyConnection, RoleAlertPolicy } from '../policy/resources.ts';
import type { Load } from './capacity.ts';
import { policyIntervalMs } from './schedule.ts';

/**
 * `policies`: those that list the scope through the connection. `defaultMs`: the operator's `--interval`. `pages`: requests of one
 * list. Undefined when none of the policies needs requests.
 */
export function scopeLoad(
  policies: readonly RoleAlertPolicy[],
  connection: AnyConnection,
  { defaultMs, pages }: { readonly defaultMs: number; readonly pages: number },
): Load | undefined {
  const intervals = policies
    .filter(({ spec }) => !spec.suspend || spec.suspendUntil !== undefined)
    // A suspension with an end counts: its requests return without an edit.
    .map((policy) => policyIntervalMs(policy, connection, defaultMs));
  return intervals.length === 0 ? undefined : { intervalMs: Math.min(...intervals), requests: pages };
}
