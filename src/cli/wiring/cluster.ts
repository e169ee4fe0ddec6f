// The cluster as the operator's port: two reflectors for what it watches, one transport for everything.
import type { ClusterPort, ObjectCache } from '../../controller/ports.ts';
import { connectionResource, createCustomResources, policyResource } from '../../kube/custom-resources.ts';
import type { ObjectEvent } from '../../kube/object-cache.ts';
import { createReflector, type Reflector } from '../../kube/reflector.ts';
import type { KubeTransport } from '../../kube/transport.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import type { RoleAlertConnection, RoleAlertPolicy } from '../../policy/resources.ts';

export interface ClusterOptions {
  readonly transport: KubeTransport;
  readonly namespaces: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly onPolicy: (event: ObjectEvent<RoleAlertPolicy>) => void;
  readonly onConnection: (event: ObjectEvent<RoleAlertConnection>) => void;
  /** Once, when both caches hold a whole list. */
  readonly onSynced: () => void;
  readonly onFailure: (resource: string, code: string) => void;
}

export interface Cluster extends ClusterPort {
  readonly hasSynced: boolean;
  /** Monotonic milliseconds of the older of the two last signs of life. */
  readonly lastContactMs: number;
  start(): void;
  /** Both caches as the API server has them after this call. False when it was stopped first. */
  relist(): Promise<boolean>;
  stop(): Promise<void>;
}

export function createCluster(options: ClusterOptions): Cluster {
  const connections = reflect<RoleAlertConnection>(options, connectionResource, options.onConnection, synced);
  const policies = reflect<RoleAlertPolicy>(options, policyResource, options.onPolicy, synced);
  let isSynced = false;
  function synced(): void {
    if (isSynced || !connections.hasSynced || !policies.hasSynced) return;
    isSynced = true;
    options.onSynced();
  }
  return {
    ...createCustomResources(options.transport),
    policies: cacheOf(policies),
    connections: cacheOf(connections),
    get hasSynced() {
      return isSynced;
    },
    get lastContactMs() {
      return Math.min(connections.lastContactMs, policies.lastContactMs);
    },
    start() {
      connections.start();
      policies.start();
    },
    async relist() {
      const whole = await Promise.all([connections.relist(), policies.relist()]);
      return whole.every(Boolean);
    },
    async stop() {
      await Promise.all([connections.stop(), policies.stop()]);
    },
  };
}

type KubeKind = RoleAlertPolicy | RoleAlertConnection;

function reflect<T extends KubeKind>(
  options: ClusterOptions,
  resource: typeof policyResource,
  onEvent: (event: ObjectEvent<T>) => void,
  onSynced: () => void,
): Reflector<T> {
  const { transport, namespaces, clock, random, log, onFailure } = options;
  return createReflector<T>({
    resource,
    namespaces,
    transport,
    clock,
    random,
    log,
    handlers: { onEvent, onSynced },
    observer: { onListed: () => undefined, onWatching: () => undefined, onFailure },
  });
}

function cacheOf<T>(reflector: Reflector<T>): ObjectCache<T> {
  return {
    get: (key) => reflector.get(key),
    list: () => reflector.list(),
    remember: (object) => reflector.remember(object),
  };
}
