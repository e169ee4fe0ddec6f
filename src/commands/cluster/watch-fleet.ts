// Follows the policies and connections of a report, and hands them over again whenever one of them changes.
import { sleep, systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { systemRandom } from '../../lib/random.ts';
import { clusterConnectionResource, connectionResource, policyResource } from '../../operator/kube/custom-resources.ts';
import { createReflector, type Reflector } from '../../operator/kube/reflector.ts';
import type { KubeResource } from '../../operator/kube/resource.ts';
import {
  decodeClusterConnection,
  decodeConnection,
  type DecodedResource,
  decodePolicy,
} from '../../policy/decode-resources.ts';
import type { AnyConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import type { FleetInput } from '../report/fleet.ts';
import type { ClusterPlace } from './cluster-place.ts';
import { fleetOfObjects, orUnreadable, type ReadFleet, type UnreadableObject } from './read-fleet.ts';
import { WatchHealth, type WatchObserver } from './watch-health.ts';

/** Changes within this time are shown together. */
const settleMs = 250;

/**
 * Calls `show` with the first complete lists, then after changes. Resolves when `place.signal` aborts. `first`: what `readFleet` read; where it
 * was refused the cluster connections, they are not watched. `onFailure` receives a sentence when the state that was shown may be out of date,
 * and undefined once it is current again.
 */
export async function watchFleet(
  place: ClusterPlace,
  { refusal, notes }: ReadFleet,
  show: (input: FleetInput) => void,
  onFailure: (sentence: string | undefined) => void = () => undefined,
): Promise<void> {
  const { signal, namespace, note } = place;
  const changes = new Changes();
  const { observer } = new WatchHealth(systemClock, (sentence) => {
    if (sentence !== undefined) note(sentence);
    onFailure(sentence);
  });
  const watch = { place, changes, observer };
  const policies = reflect(watch, policyResource, decodePolicy);
  const connections = reflect(watch, connectionResource, decodeConnection);
  const ofCluster = refusal ? undefined : reflect(watch, clusterConnectionResource, decodeClusterConnection);
  const reflectors = [policies, connections, ...(ofCluster ? [ofCluster] : [])];
  for (const each of reflectors) each.start();
  const noted = new Set(notes);
  while (!signal.aborted) {
    await changes.next(signal);
    await sleep(systemClock, settleMs, signal);
    changes.clear();
    if (!reflectors.every(({ hasSynced }) => hasSynced) || signal.aborted) continue;
    const clusterConnections = ofCluster?.list() ?? refusal ?? [];
    const fleet = fleetOfObjects(
      { policies: policies.list(), connections: connections.list(), clusterConnections },
      namespace,
    );
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

interface Watch {
  readonly place: ClusterPlace;
  readonly changes: Changes;
  readonly observer: WatchObserver;
}

function reflect<T extends RoleAlertPolicy | AnyConnection>(
  { place: { transport, namespace }, changes, observer }: Watch,
  resource: KubeResource,
  decode: (json: unknown) => DecodedResource<T>,
): Reflector<T | UnreadableObject> {
  return createReflector<T | UnreadableObject>({
    resource,
    decode: orUnreadable(decode),
    namespaces: namespace === undefined || resource === clusterConnectionResource ? [] : [namespace],
    transport,
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    handlers: { onEvent: () => changes.report(), onSynced: () => changes.report() },
    observer,
  });
}
