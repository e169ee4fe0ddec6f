// Drops observations of deleted connections: a reconcile may end after that, and a series that it began would remain.
import type { ClusterPort, Observer } from '../ports.ts';

/** Wraps `observer`; ignores connections that are not in the cache. */
export function onlyOfExisting(observer: Observer, { connections }: ClusterPort): Observer {
  const isConnection = (key: string) => connections.get(key) !== undefined;
  return {
    ...observer,
    actionEnded: (...facts) => isConnection(facts[0]) && observer.actionEnded(...facts),
    correctionSeen: (...facts) => isConnection(facts[0]) && observer.correctionSeen(...facts),
    connectionSeen: (...facts) => isConnection(facts[0]) && observer.connectionSeen(...facts),
    roundCompleted: (key) => isConnection(key) && observer.roundCompleted(key),
  };
}
