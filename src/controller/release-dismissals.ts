// Releases the dismissals of a connection whose object is gone from the caches (reactivation.ts), unless another shard
// serves it now. Claims of the remaining connections count meanwhile.
import { sleep } from '../lib/clock.ts';
import { errorFields } from '../lib/errors.ts';
import { declarationOf, withDeclaration } from '../plan/register.ts';
import { failureDelayMs } from '../plan/schedule.ts';
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import { abandonAnnotation, type AnyConnection } from '../policy/resources.ts';
import { abandonDismissals } from './abandon-dismissals.ts';
import type { ConnectionRuntime } from './connection-runtime.ts';
import type { ReconcileDeps } from './context.ts';
import { policiesThrough } from './gather.ts';
import { connectionFields } from './log-fields.ts';
import type { ReactivationDeps } from './reactivation-round.ts';
import { Reactivation, type StopSignals } from './reactivation.ts';
import { recordReleased } from './record-released.ts';

export interface ReleaseDeps extends ReconcileDeps {
  readonly runtimeOf: (connection: string) => ConnectionRuntime | undefined;
  /** Requeues the scope for those connections. */
  readonly requeue: (connections: readonly string[], scope: string) => void;
}

/** Call it once the runtime's work queue has stopped. Resolves when no dismissal is left, or after a stop. */
export async function releaseDismissals(
  deps: ReleaseDeps,
  runtime: ConnectionRuntime,
  connection: AnyConnection,
  stop: StopSignals,
): Promise<void> {
  const { ledger } = runtime.statusWriter;
  if (ledger.size === 0 || deps.isReadOnly || (await wasMovedToOtherShard(deps, runtime, connection, stop.asked)))
    return;
  if (connection.metadata.annotations?.[abandonAnnotation] !== undefined)
    return abandonDismissals(deps, runtime, connection, stop);
  const target = { connection: runtime.key, client: runtime.client(connection), ledger };
  const workers = connection.spec.limits.maxConcurrent;
  const ended = (scope: string, alerts: readonly string[]) =>
    recordReleased(deps, { connection: runtime.key, scope }, alerts, stop.cut);
  await new Reactivation({ deps: { ...reactivationDeps(deps, connection), ended }, target, workers, stop }).run();
}

function reactivationDeps(
  deps: ReleaseDeps,
  connection: AnyConnection,
): Omit<ReactivationDeps, 'ended'> & Pick<ReconcileDeps, 'random'> {
  const connections = () => deps.policyIndex.connectionsAt(connection);
  return {
    ...deps,
    neighbours: (scope) => policiesThrough(deps, connections(), { scope }),
    handOver: (entry, policyKey) => handOver(deps, connections(), entry, policyKey),
    reactivated: (scope) => deps.requeue(connections(), scope),
  };
}

/**
 * Hands over only to a connection that reaches the alert: a new connection of the old name may reach another service,
 * or none.
 */
async function handOver(
  { cluster, policyIndex, neighbours, runtimeOf }: ReleaseDeps,
  connections: readonly string[],
  entry: DismissalRecord,
  policyKey: string,
): Promise<boolean> {
  const policy = cluster.policies.get(policyKey);
  const ref = policy && policyIndex.refOf(policyKey);
  if (!ref || !connections.includes(ref.connection) || neighbours.standingOf(ref) !== 'Proven') return false;
  const record = withDeclaration(entry, declarationOf(policy, policyKey, entry.alert, true));
  return (await runtimeOf(ref.connection)?.statusWriter.takeOver(record)) ?? false;
}

/** Retries until the API server responds. True also when a stop comes first. */
async function wasMovedToOtherShard(
  { shard, clock, log }: ReconcileDeps,
  { key, statusWriter }: ConnectionRuntime,
  { metadata }: AnyConnection,
  asked: AbortSignal,
): Promise<boolean> {
  for (let failures = 1; ; failures++) {
    try {
      return await shard.wasMovedToOtherShard(key, metadata.uid);
    } catch (error) {
      const facts = { ...connectionFields(key), alerts: statusWriter.entries().length, ...errorFields(error) };
      if (failures === 1) log.error(facts, 'alerts not re-activated, their connection is deleted or in another shard');
      await sleep(clock, failureDelayMs('backoff', { intervalMs: 0, failures, retryAfterMs: undefined }), asked);
      if (asked.aborted) return true;
    }
  }
}
