// The cluster port of the controller: a reflector each for policies, the two kinds of connections and namespaces, over one
// transport.
import type { Clock } from '../../lib/clock.ts';
import { isSelected, parseLabelSelector } from '../../lib/label-selector.ts';
import type { Logger } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import { isClusterConnectionKey } from '../../policy/connection-key.ts';
import type { CustomResources } from '../../policy/custom-resources.ts';
import { decodeClusterConnection, decodeConnection, decodePolicy } from '../../policy/decode-resources.ts';
import {
  type AnyConnection,
  clusterConnectionKind,
  type ClusterRoleAlertConnection,
  type NamespaceMetadata,
  type RoleAlertConnection,
  type RoleAlertPolicy,
} from '../../policy/resources.ts';
import {
  clusterConnectionResource,
  connectionResource,
  createCustomResources,
  policyResource,
} from '../kube/custom-resources.ts';
import type { KubeFailure } from '../kube/kube-error.ts';
import { decodeNamespace, namespaceResource, readNamespace } from '../kube/namespaces.ts';
import type { ObjectEvent } from '../kube/object-cache.ts';
import { createReflector, type Reflector, type ReflectorOptions } from '../kube/reflector.ts';
import type { KubeObject, KubeResource } from '../kube/resource.ts';
import type { KubeTransport } from '../kube/transport.ts';
import type { CachedObjects, ClusterPort } from '../ports.ts';

/** An API server that starts refuses requests for seconds, before it knows the roles. */
const forgetAfterRefusalMs = 60_000;

export interface ClusterOptions {
  readonly transport: KubeTransport;
  /** The namespaces whose policies and connections are watched; empty for all. */
  readonly watchNamespaces: readonly string[];
  /** See `ClusterPort.clusterNamespace`. */
  readonly clusterNamespace: string;
  /** Selects the connections of this shard; undefined for all. */
  readonly connectionSelector: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly onPolicy: (event: ObjectEvent<RoleAlertPolicy>) => void;
  readonly onConnection: (event: ObjectEvent<AnyConnection>) => void;
  readonly onNamespace: (event: ObjectEvent<NamespaceMetadata>) => void;
  /** Called once, when all caches hold a complete list; see `CacheSync`. */
  readonly onSynced: () => void;
  readonly onFailure: (resource: string, code: string) => void;
}

export interface Cluster extends ClusterPort {
  readonly hasSynced: boolean;
  /** The last contact of the reflector that was silent for longer; monotonic milliseconds. */
  readonly lastContactMs: number;
  start(): void;
  /** Lists everything again. False when it was stopped first. */
  relist(): Promise<boolean>;
  stop(): Promise<void>;
}

export function createCluster(options: ClusterOptions): Cluster {
  const { transport, watchNamespaces, connectionSelector: labelSelector, clusterNamespace } = options;
  const sync: CacheSync = new CacheSync({
    required: [policyResource, connectionResource],
    optional: [clusterConnectionResource, namespaceResource],
    log: options.log,
    onSynced: options.onSynced,
  });
  const connections = reflect<RoleAlertConnection>(options, sync, {
    resource: connectionResource,
    namespaces: watchNamespaces,
    decode: decodeConnection,
    labelSelector,
    onEvent: options.onConnection,
  });
  const clusterConnections = reflect<ClusterRoleAlertConnection>(options, sync, {
    resource: clusterConnectionResource,
    forgetAfterRefusalMs,
    decode: decodeClusterConnection,
    labelSelector,
    onEvent: options.onConnection,
  });
  const policies = reflect<RoleAlertPolicy>(options, sync, {
    resource: policyResource,
    namespaces: watchNamespaces,
    decode: decodePolicy,
    onEvent: options.onPolicy,
  });
  const namespaces = reflect<NamespaceMetadata>(options, sync, {
    resource: namespaceResource,
    forgetAfterRefusalMs,
    decode: decodeNamespace,
    answer: 'metadata',
    onEvent: options.onNamespace,
  });
  const reflectors = [policies, connections, clusterConnections, namespaces];
  const resources = createCustomResources(transport);
  return {
    ...resources,
    ...(labelSelector !== undefined && shardOf(resources, labelSelector)),
    readNamespace: (name, signal) => readNamespace(transport, name, signal),
    clusterNamespace,
    policies,
    connections: cacheOfBoth(connections, clusterConnections),
    namespaces,
    get hasSynced() {
      return sync.isDone;
    },
    get lastContactMs() {
      return Math.min(...reflectors.map(({ lastContactMs }) => lastContactMs));
    },
    start() {
      for (const reflector of reflectors) reflector.start();
    },
    async relist() {
      const whole = await Promise.all([
        policies.relist(),
        connections.relist(),
        sync.unlessRefused(clusterConnectionResource, clusterConnections.relist()),
        sync.unlessRefused(namespaceResource, namespaces.relist()),
      ]);
      return whole.every(Boolean);
    },
    async stop() {
      await Promise.all(reflectors.map((reflector) => reflector.stop()));
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

function reflect<T extends KubeObject>(
  { transport, clock, random, log, onFailure }: ClusterOptions,
  sync: CacheSync,
  what: Pick<
    ReflectorOptions<T>,
    'resource' | 'namespaces' | 'decode' | 'labelSelector' | 'answer' | 'forgetAfterRefusalMs'
  > &
    Pick<ReflectorOptions<T>['handlers'], 'onEvent'>,
): Reflector<T> {
  const reflector: Reflector<T> = createReflector<T>({
    ...what,
    handlers: what,
    transport,
    clock,
    random,
    log,
    observer: {
      // One of several namespaces is not all of them.
      onServed: () => void (reflector.hasSynced && sync.listed(what.resource)),
      onFailure(resource, code) {
        onFailure(resource, code);
        sync.failed(what.resource, code);
      },
    },
  });
  return reflector;
}

/** A ClusterRoleAlertConnection is cached by its name. */
function cacheOfBoth(
  namespaced: Reflector<RoleAlertConnection>,
  cluster: Reflector<ClusterRoleAlertConnection>,
): CachedObjects<AnyConnection> {
  return {
    get: (key) => (isClusterConnectionKey(key) ? cluster.get(key.slice(1)) : namespaced.get(key)),
    *list() {
      yield* namespaced.list();
      yield* cluster.list();
    },
    remember(object) {
      if (object.kind === clusterConnectionKind) cluster.remember(object);
      else namespaced.remember(object);
    },
  };
}

interface CacheSyncOptions {
  readonly required: readonly KubeResource[];
  readonly optional: readonly KubeResource[];
  readonly log: Logger;
  /** Called once. */
  readonly onSynced: () => void;
}

/**
 * When the caches are complete enough to start. Policies and connections are required. The API server may refuse to list the others: after
 * an upgrade, the CRD of ClusterRoleAlertConnections or the right to list namespaces may be missing. The operator then serves everything
 * else, and what it cannot see has no access. When the API server refuses them later, the cached objects count for another minute.
 */
export class CacheSync {
  readonly #options: CacheSyncOptions;
  readonly #listed = new Set<KubeResource>();
  /** Optional resources that the API server refuses, each with the callers that wait for its list. */
  readonly #refused = new Set<KubeResource>();
  readonly #waiting = new Map<KubeResource, Set<() => void>>();
  #isDone = false;

  constructor(options: CacheSyncOptions) {
    this.#options = options;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** A complete list of the resource is in its cache. */
  listed(resource: KubeResource): void {
    this.#listed.add(resource);
    this.#refused.delete(resource);
    this.#check();
  }

  /**
   * An API server that is starting knows none of the custom resources, so a refusal counts only once the required ones are
   * listed.
   */
  failed(resource: KubeResource, code: KubeFailure['code']): void {
    const { optional } = this.#options;
    const isRefusal = code === 'kube-not-found' || code === 'kube-denied';
    if (!isRefusal || !optional.includes(resource) || !this.#hasRequired() || this.#refused.has(resource)) return;
    this.#refused.add(resource);
    if (!this.#listed.has(resource)) this.#warn(resource, code);
    for (const wake of this.#waiting.get(resource) ?? []) wake();
    this.#check();
  }

  /** Not of what was listed before: its cached objects count for another minute, and the reflector logs their end. */
  #warn(resource: KubeResource, code: KubeFailure['code']): void {
    const fix = code === 'kube-denied' ? 'apply deploy/base, which grants list and watch' : 'apply crds';
    const fields = { resource: resource.plural, code, fix };
    this.#options.log.warn(fields, 'resource not available, policies that need it have no access');
  }

  /** Resolves with the result of `list`, or with true when the API server refuses the resource meanwhile. */
  async unlessRefused(resource: KubeResource, list: Promise<boolean>): Promise<boolean> {
    if (this.#refused.has(resource)) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const wake = () => resolve(true);
    const waiting = this.#waiting.get(resource) ?? new Set();
    this.#waiting.set(resource, waiting.add(wake));
    return Promise.race([promise, list]).finally(() => waiting.delete(wake));
  }

  #hasRequired(): boolean {
    return this.#options.required.every((resource) => this.#listed.has(resource));
  }

  #check(): void {
    const { optional, onSynced } = this.#options;
    const isComplete = optional.every((resource) => this.#listed.has(resource) || this.#refused.has(resource));
    if (this.#isDone || !isComplete || !this.#hasRequired()) return;
    this.#isDone = true;
    onSynced();
  }
}
