// Drops observations of deleted connections. A reconcile may end after its connection was deleted, and a metric series that it
// created then would remain.
import type { ClusterPort, Observer } from './ports.ts';

/** Wraps `observer`; ignores connections that are not in the cache. */
export function onlyOfExisting(observer: Observer, { connections }: ClusterPort): Observer {
  const isConnection = (key: string) => connections.get(key) !== undefined;
  return {
    reconcileEnded: (...facts) => observer.reconcileEnded(...facts),
    actionEnded: (...facts) => isConnection(facts[0]) && observer.actionEnded(...facts),
    correctionSeen: (...facts) => isConnection(facts[0]) && observer.correctionSeen(...facts),
    connectionSeen: (...facts) => isConnection(facts[0]) && observer.connectionSeen(...facts),
    roundCompleted: (key) => isConnection(key) && observer.roundCompleted(key),
    connectionForgotten: (key) => observer.connectionForgotten(key),
    statusWritten: (kind) => observer.statusWritten(kind),
    dismissalsAbandoned: (count) => observer.dismissalsAbandoned(count),
  };
}
