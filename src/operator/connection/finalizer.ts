// The finalizer of a connection: adds and removes it, and bounds how long it delays the deletion of its namespace.
import type { Timer } from '../../lib/clock.ts';
import { partsOfConnectionKey } from '../../policy/connection-key.ts';
import { finalizersOf, hasFinalizer } from '../../policy/deletion.ts';
import type { AnyConnection } from '../../policy/resources.ts';
import type { Ledger } from '../dismissals/ledger.ts';
import { connectionFields } from '../logging.ts';
import type { ClusterPort, ControllerDeps } from '../ports.ts';
import { abandonedEvents } from '../report/events.ts';

/**
 * Resolves with the connection that has the finalizer or lacks it, as asked. The API server takes no new finalizer for an object that is
 * being deleted: there it was removed by hand.
 */
export async function holdConnection(
  cluster: Pick<ClusterPort, 'connections' | 'replaceFinalizers'>,
  connection: AnyConnection,
  isHeld: boolean,
  signal: AbortSignal,
): Promise<AnyConnection> {
  const isEnding = connection.metadata.deletionTimestamp !== undefined;
  if (hasFinalizer(connection) === isHeld || (isHeld && isEnding)) return connection;
  const stored = await cluster.replaceFinalizers(connection, finalizersOf(connection, isHeld), signal);
  // The object that goes with its last finalizer must not come back into the cache.
  if (!isEnding) cluster.connections.remember(stored);
  return stored;
}

interface AbandonmentDeps extends Pick<ControllerDeps, 'cluster' | 'clock' | 'events' | 'log' | 'observer'> {
  readonly key: string;
}

/** Long enough for the activations of an ordinary service, short enough for a person who waits for `kubectl delete namespace`. */
const longestWaitMs = 45_000;

/** Bounds how long the finalizer of a connection delays the deletion of its namespace: the wait ends once nothing was proven active for some time, because a namespace that never goes is worse than an alert that stays inactive and is named. */
export class Abandonment {
  readonly #deps: AbandonmentDeps;
  readonly #ledger: Ledger;
  readonly #onAbandoned: () => void;
  #timer: Timer | undefined;

  constructor(deps: AbandonmentDeps, ledger: Ledger, onAbandoned: () => void) {
    this.#deps = deps;
    this.#ledger = ledger;
    this.#onAbandoned = onAbandoned;
  }

  /** While the namespace is being deleted, what is not active again soon is abandoned, and also what a later write of the ledger brings back. */
  follow(isEnding: boolean): void {
    if (isEnding) this.#timer ??= this.#start();
    else this.stop();
  }

  /** A list has shown another alert of the ledger active. */
  proven(): void {
    if (!this.#timer) return;
    this.#timer.cancel();
    this.#timer = this.#start();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #start(): Timer {
    return this.#deps.clock.setTimer(longestWaitMs, () => this.#abandon());
  }

  #abandon(): void {
    this.#timer = this.#start();
    const { cluster, key, events, log, observer } = this.#deps;
    const entries = this.#ledger.records();
    const namespace = cluster.namespaces.get(partsOfConnectionKey(key).namespace ?? '');
    if (entries.length === 0 || !namespace) return;
    const alerts = entries.map(({ scope, alert }) => ({ scope, alert }));
    log.error({ ...connectionFields(key), alerts }, 'dismissals abandoned, their namespace is being deleted');
    observer.dismissalsAbandoned(entries.length);
    const { name, uid } = namespace.metadata;
    // The namespace itself takes no events any more; those of a cluster-scoped object are in `default`.
    const regarding = { apiVersion: 'v1', kind: 'Namespace', name, uid } as const;
    for (const event of abandonedEvents(entries)) events.record({ regarding, ...event });
    this.#ledger.load([]);
    this.#onAbandoned();
  }
}
