// The cluster port of the controller: one reflector for policies and one for connections over one transport.
import type { CachedObjects, ClusterPort } from '../controller/ports.ts';
import {
  connectionResource,
  createCustomResources,
  type CustomResources,
  policyResource,
} from '../kube/custom-resources.ts';
import type { ObjectEvent } from '../kube/object-cache.ts';
import type { ReflectorOptions } from '../kube/reflector-options.ts';
import { createReflector, type Reflector } from '../kube/reflector.ts';
import type { KubeTransport } from '../kube/transport.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import { decodeConnection, decodePolicy } from '../policy/decode-resources.ts';
import { isSelected, parseLabelSelector } from '../policy/label-selector.ts';
import type { RoleAlertConnection, RoleAlertPolicy } from '../policy/resources.ts';

export interface ClusterOptions {
  readonly transport: KubeTransport;
  readonly namespaces: readonly string[];
  /** Selects the connections of this shard; undefined for all. */
  readonly connectionSelector: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly onPolicy: (event: ObjectEvent<RoleAlertPolicy>) => void;
  readonly onConnection: (event: ObjectEvent<RoleAlertConnection>) => void;
  /** Called once, when both caches hold a complete list. */
  readonly onSynced: () => void;
  readonly onFailure: (resource: string, code: string) => void;
}

export interface Cluster extends ClusterPort {
  readonly hasSynced: boolean;
  /** The last contact of the reflector that was silent for longer; monotonic milliseconds. */
  readonly lastContactMs: number;
  start(): void;
  /** Lists both resources again. False when it was stopped first. */
  relist(): Promise<boolean>;
  stop(): Promise<void>;
}

export function createCluster(options: ClusterOptions): Cluster {
  const labelSelector = options.connectionSelector;
  const connections = reflect<RoleAlertConnection>(options, {
    resource: connectionResource,
    decode: decodeConnection,
    labelSelector,
    handlers: { onEvent: options.onConnection, onSynced: synced },
  });
  const policies = reflect<RoleAlertPolicy>(options, {
    resource: policyResource,
    decode: decodePolicy,
    handlers: { onEvent: options.onPolicy, onSynced: synced },
  });
  const resources = createCustomResources(options.transport);
  let isSynced = false;
  function synced(): void {
    if (isSynced || !connections.hasSynced || !policies.hasSynced) return;
    isSynced = true;
    options.onSynced();
  }
  return {
    ...resources,
    ...(labelSelector !== undefined && shardOf(resources, labelSelector)),
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

/** Hides connections of other shards, so that a status is not written again after its connection has moved. */
function shardOf(resources: CustomResources, text: string): Pick<ClusterPort, 'readConnection' | 'readUidAnywhere'> {
  const selector = parseLabelSelector(text) ?? [];
  return {
    async readConnection(...where) {
      const connection = await resources.readConnection(...where);
      return connection && isSelected(selector, connection.metadata.labels) ? connection : undefined;
    },
    readUidAnywhere: async (...where) => (await resources.readConnection(...where))?.metadata.uid,
  };
}

type KubeKind = RoleAlertPolicy | RoleAlertConnection;

function reflect<T extends KubeKind>(
  options: ClusterOptions,
  what: Pick<ReflectorOptions<T>, 'resource' | 'decode' | 'labelSelector' | 'handlers'>,
): Reflector<T> {
  const { transport, namespaces, clock, random, log, onFailure } = options;
  return createReflector<T>({
    ...what,
    namespaces,
    transport,
    clock,
    random,
    log,
    observer: { onListed: () => undefined, onWatching: () => undefined, onFailure },
  });
}

function cacheOf<T>(reflector: Reflector<T>): CachedObjects<T> {
  return {
    get: (key) => reflector.get(key),
    list: () => reflector.list(),
    remember: (object) => reflector.remember(object),
  };
}
