// What is still done for a connection whose object is gone from the caches: its dismissals are lifted (lift.ts), unless another
// shard serves it now. The connections that are still there have a say over its alerts meanwhile.
import { sleep } from '../lib/clock.ts';
import { messageOf } from '../lib/errors.ts';
import { failureDelayMs } from '../plan/schedule.ts';
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import type { RoleAlertConnection } from '../policy/resources.ts';
import { scopeRefOf } from './catalog.ts';
import { policiesThrough } from './gather.ts';
import type { LiftTools } from './lift-round.ts';
import { Lift, type StopSignals } from './lift.ts';
import type { ReconcileDeps } from './reconcile.ts';
import type { Session } from './session.ts';

export interface LiftConnectionTools extends ReconcileDeps {
  readonly sessionOf: (connection: string) => Session | undefined;
  /** Has the scope reconciled through those connections. */
  readonly reconcile: (connections: readonly string[], scope: string) => void;
}

/** Call it once nothing of the session is under way. Resolves when nothing is left to do, or a stop ended it. */
export async function liftConnection(
  tools: LiftConnectionTools,
  session: Session,
  connection: RoleAlertConnection,
  stop: StopSignals,
): Promise<void> {
  const { ledger } = session.recorder;
  if (ledger.size === 0 || tools.isReadOnly || (await hasMoved(tools, session, connection, stop.asked))) return;
  const target = { connection: session.key, client: session.client(connection), ledger };
  const workers = connection.spec.limits.maxConcurrent;
  await new Lift({ tools: liftTools(tools, connection), target, workers, stop }).run();
}

function liftTools(
  tools: LiftConnectionTools,
  connection: RoleAlertConnection,
): LiftTools & Pick<ReconcileDeps, 'random'> {
  const connections = () => tools.catalog.connectionsAt(connection);
  return {
    ...tools,
    neighbours: (scope) => policiesThrough(tools, connections(), { scope }),
    handOver: (entry, policyKey) => handOver(tools, connections(), entry, policyKey),
    lifted: (scope) => tools.reconcile(connections(), scope),
  };
}

/** Only to a connection that reaches the alert: one that was made anew under the old name may reach another service, or none. */
async function handOver(
  { cluster, neighbours, sessionOf }: LiftConnectionTools,
  connections: readonly string[],
  entry: DismissalRecord,
  policyKey: string,
): Promise<boolean> {
  const policy = cluster.policies.get(policyKey);
  const ref = policy && scopeRefOf(policy);
  if (!ref || !connections.includes(ref.connection) || neighbours.standingOf(ref) !== 'Proven') return false;
  return (await sessionOf(ref.connection)?.recorder.take({ ...entry, policy: policyKey })) ?? false;
}

/** Asked until the API server says it. True also when everything stops before. */
async function hasMoved(
  { strangers, clock, log }: ReconcileDeps,
  { key, recorder }: Session,
  { metadata }: RoleAlertConnection,
  asked: AbortSignal,
): Promise<boolean> {
  for (let failures = 1; ; failures++) {
    try {
      return await strangers.hasMoved(key, metadata.uid);
    } catch (error) {
      const facts = { connection: key, alerts: recorder.entries().length, error: messageOf(error) };
      if (failures === 1) log.error(facts, 'dismissals not lifted, their connection is deleted or in another shard');
      await sleep(clock, failureDelayMs('backoff', { intervalMs: 0, failures, retryAfterMs: undefined }), asked);
      if (asked.aborted) return true;
    }
  }
}
