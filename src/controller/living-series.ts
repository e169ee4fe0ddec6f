// Drops observations of deleted objects. A reconcile may end after its policy or connection was deleted, and a metric
// series that it created then would remain.
import type { ClusterPort, Observer } from './ports.ts';

/** Wraps `observer`; ignores policies and connections that are not in the caches. */
export function onlyOfExisting(observer: Observer, { policies, connections }: ClusterPort): Observer {
  const isPolicy = (key: string) => policies.get(key) !== undefined;
  const isConnection = (key: string) => connections.get(key) !== undefined;
  return {
    reconcileEnded: (...facts) => observer.reconcileEnded(...facts),
    actionEnded: (...facts) => isConnection(facts[0]) && observer.actionEnded(...facts),
    correctionSeen: (...facts) => isConnection(facts[0]) && observer.correctionSeen(...facts),
    connectionSeen: (...facts) => isConnection(facts[0]) && observer.connectionSeen(...facts),
    connectionForgotten: (key) => observer.connectionForgotten(key),
    policySeen: (...facts) => isPolicy(facts[0]) && observer.policySeen(...facts),
    policyForgotten: (key) => observer.policyForgotten(key),
    statusWritten: (kind) => observer.statusWritten(kind),
  };
}
