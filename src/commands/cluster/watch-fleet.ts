// Follows the policies and connections of a report, and hands them over again whenever one of them changes.
import { sleep, systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { systemRandom } from '../../lib/random.ts';
import { clusterConnectionResource, connectionResource, policyResource } from '../../operator/kube/custom-resources.ts';
import type { KubeFailure } from '../../operator/kube/kube-error.ts';
import { createReflector, type Reflector } from '../../operator/kube/reflector.ts';
import type { KubeResource } from '../../operator/kube/resource.ts';
import {
  decodeClusterConnection,
  decodeConnection,
  type DecodedResource,
  decodePolicy,
} from '../../policy/decode-resources.ts';
import {
  type AnyConnection,
  type ClusterRoleAlertConnection,
  type RoleAlertConnection,
  type RoleAlertPolicy,
} from '../../policy/resources.ts';
import type { FleetInput } from '../report/fleet.ts';
import type { ClusterPlace } from './cluster-place.ts';
import { fleetOfObjects, orUnreadable, type ListRefusal, type UnreadableObject } from './read-fleet.ts';
import { WatchHealth, type WatchObserver } from './watch-health.ts';

/** Changes within this time are shown together. */
const settleMs = 250;

/**
 * Calls `show` with the first complete lists, then after changes. Resolves when `place.signal` aborts. `onFailure` receives a sentence
 * when the state that was shown may be out of date, and undefined once it is current again.
 */
export async function watchFleet(
  place: ClusterPlace,
  show: (input: FleetInput) => void,
  onFailure: (sentence: string | undefined) => void = () => undefined,
): Promise<void> {
  const { signal, namespace, note } = place;
  const changes = new Changes();
  const { observer } = new WatchHealth(systemClock, (sentence) => {
    if (sentence !== undefined) note(sentence);
    onFailure(sentence);
  });
  const policies = reflect<RoleAlertPolicy>(place, changes, {
    resource: policyResource,
    decode: decodePolicy,
    observer,
  });
  const connections = reflect<RoleAlertConnection>(place, changes, {
    resource: connectionResource,
    decode: decodeConnection,
    observer,
  });
  const clusterConnections = reflectClusterConnections(place, changes, observer);
  const reflectors = [policies, connections, clusterConnections.reflector];
  for (const each of reflectors) each.start();
  const noted = new Set<string>();
  while (!signal.aborted) {
    await changes.next(signal);
    await sleep(systemClock, settleMs, signal);
    changes.clear();
    const isComplete = policies.hasSynced && connections.hasSynced && clusterConnections.isSettled();
    if (!isComplete || signal.aborted) continue;
    const ofCluster = clusterConnections.refusal() ?? clusterConnections.reflector.list();
    const objects = { policies: policies.list(), connections: connections.list(), clusterConnections: ofCluster };
    const fleet = fleetOfObjects(objects, namespace);
    for (const sentence of fleet.notes.filter((each) => !noted.has(each))) {
      noted.add(sentence);
      note(sentence);
    }
    show({ ...fleet, nowMs: systemClock.now() });
  }
  await Promise.all(reflectors.map((each) => each.stop()));
}

/** A signal that something changed, which keeps until it is cleared. */
class Changes {
  #happened = Promise.withResolvers<void>();

  report(): void {
    this.#happened.resolve();
  }

  clear(): void {
    this.#happened = Promise.withResolvers<void>();
  }

  /** Resolves at the next change, or when `signal` aborts. */
  async next(signal: AbortSignal): Promise<void> {
    const stop = () => this.report();
    signal.addEventListener('abort', stop, { once: true });
    await this.#happened.promise;
    signal.removeEventListener('abort', stop);
  }
}

interface Watched<T> {
  readonly resource: KubeResource;
  readonly decode: (json: unknown) => DecodedResource<T>;
  readonly observer: WatchObserver;
  /** Default: those of the place. */
  readonly namespaces?: readonly string[];
}

function reflect<T extends RoleAlertPolicy | AnyConnection>(
  { transport, namespace }: ClusterPlace,
  changes: Changes,
  { resource, decode, namespaces, observer }: Watched<T>,
): Reflector<T | UnreadableObject> {
  return createReflector<T | UnreadableObject>({
    resource,
    decode: orUnreadable(decode),
    namespaces: namespaces ?? (namespace === undefined ? [] : [namespace]),
    transport,
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    handlers: { onEvent: () => changes.report(), onSynced: () => changes.report() },
    observer,
  });
}

/** The report does not wait for them when the API server refuses to list them, or does not have them. */
function reflectClusterConnections(place: ClusterPlace, changes: Changes, others: WatchObserver) {
  let refusal: ListRefusal | undefined;
  const observer: WatchObserver = {
    onServed(resource) {
      refusal = undefined;
      others.onServed(resource);
    },
    onFailure(resource, code) {
      if (!isRefusal(code)) return others.onFailure(resource, code);
      // The API server answers.
      others.onServed(resource);
      if (refusal !== code) changes.report();
      refusal = code;
    },
  };
  const resource: KubeResource = clusterConnectionResource;
  const decode = decodeClusterConnection;
  const reflector = reflect<ClusterRoleAlertConnection>(place, changes, { resource, decode, namespaces: [], observer });
  return { reflector, refusal: () => refusal, isSettled: () => reflector.hasSynced || refusal !== undefined };
}

function isRefusal(code: KubeFailure['code']): code is ListRefusal {
  return code === 'kube-denied' || code === 'kube-not-found';
}
