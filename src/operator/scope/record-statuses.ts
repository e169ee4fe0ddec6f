// Records a conclusion in the status of every policy of the scope. policy-status-writer.ts writes one status.
import type { CodedError } from '../../lib/errors.ts';
import { referenceTo, type RoleAlertPolicy } from '../../policy/resources.ts';
import type { Conclusion } from '../decide/conclusion.ts';
import type { StatusCause } from '../decide/conclusion.ts';
import type { PolicyInput } from '../decide/plan-input.ts';
import { policyIntervalMs } from '../decide/schedule.ts';
import { isClusterError } from '../ports.ts';
import { factsOfConnection } from '../reasons/message-facts.ts';
import { refusedStatusEvent } from '../report/events.ts';
import { effectiveSettings } from '../report/policy-status.ts';
import type { ReconcileContext } from './context.ts';
import type { Gathered } from './gather.ts';
import { writePolicyStatus } from './policy-status-writer.ts';

/**
 * Rejects with the first failed write, without holding up the others. Once the API server does not respond, the
 * remaining writes are skipped, because each would take until its deadline. A refused status is an event, once until all statuses of the
 * scope are written.
 */
export async function recordStatuses(
  context: ReconcileContext,
  gathered: Gathered,
  { statuses, result, use }: Conclusion,
): Promise<void> {
  const { runtime, ref } = context;
  let unreachable: CodedError | undefined;
  const record = async (input: PolicyInput, cause: StatusCause) => {
    if (unreachable) throw unreachable;
    try {
      await recordOne(context, gathered, input, cause);
    } catch (error) {
      if (isClusterError(error, 'kube-unreachable')) unreachable = error;
      announceRefusal(context, input.policy, error);
      throw error;
    }
  };
  const writes = gathered.policies.flatMap((input) => {
    const cause = isLeaving(context, input) ? undefined : statuses.get(input.key);
    return cause ? [runtime.statusWrites.run(() => record(input, cause))] : [];
  });
  await Promise.all(writes);
  if (use === 'Forgotten' || result === 'error') return;
  runtime.step(ref.scope, { kind: 'AllRecorded' });
}

/** Announces a refusal once until all statuses of the scope are written. `error`: of a status write; any other says nothing. */
function announceRefusal({ deps, runtime, ref }: ReconcileContext, policy: RoleAlertPolicy, error: unknown): void {
  const { uid } = policy.metadata;
  if (!isClusterError(error, 'kube-denied', 'kube-invalid') || runtime.state(ref.scope).refused.has(uid)) return;
  runtime.step(ref.scope, { kind: 'StatusRefused', uid });
  deps.events.record({ regarding: referenceTo(policy), ...refusedStatusEvent(error.code) });
}

/** No client waits for the status of a policy that is being deleted, and its namespace takes no events any more. */
function isLeaving({ deps }: ReconcileContext, { policy: { metadata } }: PolicyInput): boolean {
  const namespace = deps.cluster.namespaces.get(metadata.namespace);
  return metadata.deletionTimestamp !== undefined || namespace?.metadata.deletionTimestamp !== undefined;
}

async function recordOne(
  context: ReconcileContext,
  { connection }: Gathered,
  input: PolicyInput,
  cause: StatusCause,
): Promise<void> {
  const { deps, runtime, ref, signal } = context;
  const { defaultIntervalMs, isReadOnly, clock } = deps;
  const intervalMs = connection ? policyIntervalMs(input.policy, connection, defaultIntervalMs) : defaultIntervalMs;
  const effective = effectiveSettings(input, intervalMs, isReadOnly);
  const health = connection ? (runtime.connection.health ?? ('keep' as const)) : undefined;
  const connectionFacts = connection && factsOfConnection(connection, deps.cluster.clusterNamespace);
  const known = { effective, connection: health, connectionFacts };
  const status = { policy: input.policy, cause, ...known, nowMs: clock.now() };
  await writePolicyStatus(deps, status, signal);
  if (cause.kind === 'listed') runtime.step(ref.scope, { kind: 'PolicyRecorded', policyKey: input.key });
}
