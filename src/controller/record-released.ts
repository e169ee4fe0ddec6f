// Removes the marks of released dismissals from the statuses of a deleted connection's policies. A new connection of that name has
// taken over the marks, and its own reconciles record what becomes of them.
import { canonicalName } from '../alerts/resource-id.ts';
import { errorFields } from '../lib/errors.ts';
import { effectiveSettings } from '../plan/status.ts';
import { noGrant } from '../policy/grant.ts';
import type { RoleAlertPolicy } from '../policy/resources.ts';
import type { ScopeRef } from '../policy/scope-ref.ts';
import type { ReconcileDeps } from './context.ts';
import { scopeFields } from './log-fields.ts';
import { writePolicyStatus } from './policy-status-writer.ts';

type RecordDeps = Pick<
  ReconcileDeps,
  | 'policyIndex'
  | 'cluster'
  | 'events'
  | 'observer'
  | 'log'
  | 'clock'
  | 'isReadOnly'
  | 'defaultIntervalMs'
  | 'writing'
  | 'unanswered'
  | 'unkept'
>;

/** Never rejects: a mark that stays causes at most one more list and an activation of what is inactive then. */
export async function recordReleased(
  deps: RecordDeps,
  ref: ScopeRef,
  alerts: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const released = new Set(alerts.map(canonicalName));
  for (const key of deps.policyIndex.policiesAt(ref)) {
    const policy = deps.cluster.policies.get(key);
    if (policy?.status?.dismissalEndpoint === undefined || deps.cluster.connections.get(ref.connection)) continue;
    try {
      await record(deps, policy, released, signal);
    } catch (error) {
      deps.log.warn({ ...scopeFields(ref), ...errorFields(error) }, 'status not written');
    }
  }
}

function record(
  deps: RecordDeps,
  policy: RoleAlertPolicy,
  released: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  const effective = effectiveSettings({ policy, grant: noGrant }, deps.defaultIntervalMs, deps.isReadOnly);
  const outcome = { kind: 'no-connection', released } as const;
  const input = { policy, outcome, effective, connection: undefined, nowMs: deps.clock.now() };
  return writePolicyStatus(deps, input, signal);
}
