// Records a conclusion: in the state of the scope, the ledger, the health of the connection and the log, all of it synchronously; then in
// the status of every policy of the scope, each of which policy-status-writer.ts writes.
import type { CodedError } from '../../lib/errors.ts';
import { type AnyConnection, referenceTo, type RoleAlertPolicy } from '../../policy/resources.ts';
import { isUndecided } from '../connection/connection-state.ts';
import type { Conclusion, StatusCause } from '../decide/conclude.ts';
import type { PolicyInput } from '../decide/decisions.ts';
import { failureOf } from '../decide/failures.ts';
import { policyIntervalMs } from '../decide/schedule.ts';
import type { Correction } from '../decide/writes.ts';
import type { LedgerNews } from '../dismissals/ledger.ts';
import { connectionFields, scopeFields } from '../logging.ts';
import { isClusterError } from '../ports.ts';
import { factsOfConnection } from '../reasons/message-facts.ts';
import { connectionEvent } from '../report/connection-status.ts';
import { correctionEvents, droppedEvents, refusedStatusEvent } from '../report/events.ts';
import { effectiveSettings } from '../report/policy-status.ts';
import type { Gathered, ReconcileContext } from './gather.ts';
import { writePolicyStatus } from './policy-status-writer.ts';

export function carryOut(context: ReconcileContext, gathered: Gathered, conclusion: Conclusion): void {
  const { deps, runtime, ref } = context;
  const { use, counts, ledger, corrections, log } = conclusion;
  if (use === 'Forgotten') {
    runtime.forget(ref.scope);
    return;
  }
  runtime.step(ref.scope, { kind: 'Ended', counts });
  const { connection } = gathered;
  if (connection && ledger) updateLedger(context, connection, ledger);
  if (connection) emitUndeclaredCorrections(context, connection, corrections);
  if (connection && conclusion.connection) recordHealth(context, connection, 'Ended', conclusion.connection.error);
  if (log) deps.log[log.level]({ ...scopeFields(ref), ...log.fields }, log.message);
  if (connection && conclusion.isScopeMissing) markScopeMissing(context, connection);
  if (use === 'Resting') runtime.stopListing(ref.scope);
}

/** Emits an event for the entries that end without proof. */
function updateLedger({ deps, runtime, ref }: ReconcileContext, connection: AnyConnection, news: LedgerNews): void {
  const regarding = referenceTo(connection);
  const dropped = runtime.statusWriter.updateLedger(ref.scope, news);
  for (const event of droppedEvents(dropped)) deps.events.record({ regarding, ...event });
}

/** Notes every entry of the scope as missing. */
function markScopeMissing(context: ReconcileContext, connection: AnyConnection): void {
  const { runtime, ref } = context;
  updateLedger(context, connection, {
    resolvedDismissals: [],
    missing: runtime.statusWriter.ledger.recordsOf(ref.scope),
    declared: new Map(),
  });
}

/** Emits the events of corrections without a policy for the connection, because no status of a policy can show them. */
function emitUndeclaredCorrections(
  { deps, ref }: ReconcileContext,
  connection: AnyConnection,
  corrections: readonly Correction[],
): void {
  const regarding = referenceTo(connection);
  const undeclared = corrections.filter(({ policyKey }) => policyKey === undefined);
  for (const event of correctionEvents(undeclared, ref.scope)) deps.events.record({ regarding, ...event });
}

/**
 * Records how an attempt ended on its connection, and announces what follows from it: metrics, the event and the status of a changed health,
 * and the end of the first round. `Listed`: a first complete list. The result of an older spec is ignored once there is one of the current spec. `error`: undefined
 * when nothing failed.
 */
export function recordHealth(
  context: ReconcileContext,
  connection: AnyConnection,
  kind: 'Listed' | 'Ended',
  error?: CodedError,
): void {
  const { deps, runtime, ref } = context;
  if (!runtime.isLatestSpec(connection)) return;
  const failure = error && failureOf(error);
  const before = runtime.connection.health;
  runtime.updateStreak(failure);
  if (kind === 'Listed') runtime.apply({ kind });
  else if (runtime.ended(ref.scope, failure, error?.retryAfterMs)) announceRound(context);
  const { health, networkCause } = runtime.connection;
  if (health !== undefined) deps.observer.connectionSeen(runtime.key, health, failure);
  if (health !== undefined && health !== before) {
    const { connections, clusterNamespace } = deps.cluster;
    const current = connections.get(runtime.key);
    const facts = { clusterNamespace, networkCause, error: error?.message };
    const event = current && connectionEvent(before, health, current, facts);
    if (event) deps.events.record({ regarding: referenceTo(current), ...event });
    runtime.statusWriter.refresh();
  }
  if (!isUndecided(runtime.connection)) runtime.setTriedGeneration(connection.metadata.generation);
}

/** The end of the first round may change what the status says of the rate limit. */
function announceRound({ deps, runtime }: ReconcileContext): void {
  deps.observer.roundCompleted(runtime.key);
  if (runtime.turns.rounds > 1) return;
  deps.log.info({ ...connectionFields(runtime.key), scopes: runtime.turns.size }, 'first round completed');
  runtime.statusWriter.refreshSoon();
}

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
  // What the connection shows is the cause of all its scopes while it has one.
  const own = cause.kind === 'failed' ? cause.failure.networkCause : undefined;
  const networkCause = runtime.connection.networkCause ?? own;
  const connectionFacts = connection && {
    ...factsOfConnection(connection, deps.cluster.clusterNamespace),
    networkCause,
  };
  const known = { effective, connection: health, connectionFacts };
  const status = { policy: input.policy, cause, ...known, nowMs: clock.now() };
  await writePolicyStatus(deps, status, signal);
  if (cause.kind === 'listed') runtime.step(ref.scope, { kind: 'PolicyRecorded', policyKey: input.key });
}
