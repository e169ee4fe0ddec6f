// Releases the dismissals of a connection whose object is gone from the caches (reactivation.ts), unless another shard
// serves it now.
import { sleep } from '../lib/clock.ts';
import { errorFields } from '../lib/errors.ts';
import { failureDelayMs } from '../plan/schedule.ts';
import { abandonAnnotation, type AnyConnection } from '../policy/resources.ts';
import { abandonDismissals } from './abandon-dismissals.ts';
import type { ConnectionRuntime } from './connection-runtime.ts';
import type { ReconcileDeps } from './context.ts';
import { connectionFields } from './log-fields.ts';
import { Reactivation, type StopSignals } from './reactivation.ts';
import { recordReleased } from './record-released.ts';

/** Call it once the runtime's work queue has stopped. Resolves when no dismissal is left, or after a stop. */
export async function releaseDismissals(
  deps: ReconcileDeps,
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
  await new Reactivation({ deps: { ...deps, ended }, target, workers, stop }).run();
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
