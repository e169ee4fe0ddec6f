// Notes how an attempt ended on its connection, and announces what follows from it: metrics, the event and the status of
// a changed health, and the end of the first round.
import type { CodedError } from '../../lib/errors.ts';
import { type AnyConnection, referenceTo } from '../../policy/resources.ts';
import { isUndecided } from '../connection/failures.ts';
import { failureOf } from '../decide/failures.ts';
import { connectionEvent } from '../report/connection-status.ts';
import { connectionFields } from '../report/log-fields.ts';
import type { ReconcileContext } from './context.ts';

/**
 * `Listed`: a first complete list. The result of an older spec is ignored once there is one of the current spec. `error`: undefined
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
  const { health } = runtime.connection;
  if (health !== undefined) deps.observer.connectionSeen(runtime.key, health, failure);
  if (health !== undefined && health !== before) {
    const { connections, clusterNamespace } = deps.cluster;
    const current = connections.get(runtime.key);
    const event = current && connectionEvent(before, health, current, { clusterNamespace, error: error?.message });
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
