// The operator over fakes on a manual clock: a service in a map, an API server that keeps versions and uids. Other tests cover
// the real ones; here the order of events in time counts.
import type { Alert } from '../../../src/alerts/types.ts';
import { CodedError, StoppedError } from '../../../src/lib/errors.ts';
import { isSameJson } from '../../../src/lib/json-shape.ts';
import { type Logger, silentLogger } from '../../../src/lib/log.ts';
import { seededRandom } from '../../../src/lib/random.ts';
import { Semaphore } from '../../../src/lib/semaphore.ts';
import type { AlertClient, CallOptions } from '../../../src/operator/alert-client/alert-client.ts';
import { RateLimiter, type RateLimits } from '../../../src/operator/alert-client/rate-limiter.ts';
import { Controller } from '../../../src/operator/controller.ts';
import type { ReconcileResult } from '../../../src/operator/decide/conclude.ts';
import { KubeError } from '../../../src/operator/kube/kube-error.ts';
import type { CachedObjects, ClusterPort, EventPort, Observer } from '../../../src/operator/ports.ts';
import type { RoleAlertPolicyStatus } from '../../../src/policy/generated/role-alert-policy.ts';
import type {
  AnyConnection,
  ClusterRoleAlertConnection,
  NamespaceMetadata,
  RoleAlertConnection,
  RoleAlertPolicy,
} from '../../../src/policy/resources.ts';
import { namespacedName } from '../../../src/policy/scope-ref.ts';
import { ManualClock } from './manual-clock.ts';

type Kind = RoleAlertPolicy | AnyConnection;

class FakeStore<T extends Kind> implements CachedObjects<T> {
  readonly objects = new Map<string, T>();
  writes = 0;
  #version = 1;

  get(key: string): T | undefined {
    return this.objects.get(key);
  }

  list(): Iterable<T> {
    return this.objects.values();
  }

  remember(): void {
    // Cache and server are one here.
  }

  put(object: T): T {
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String((this.#version += 1)) } };
    this.objects.set(namespacedName(object), stored);
    return stored;
  }

  replaceStatus(object: T, status: T['status']): T {
    const current = this.objects.get(namespacedName(object));
    if (!current) throw new KubeError('kube-not-found', 'gone');
    const { uid, resourceVersion } = current.metadata;
    if (uid !== object.metadata.uid || resourceVersion !== object.metadata.resourceVersion) {
      throw new KubeError('kube-conflict', 'changed');
    }
    this.writes++;
    // As the API server: a write that changes nothing makes no new version.
    return isSameJson(current.status, status) ? current : this.put({ ...current, status });
  }

  replaceFinalizers(object: T, finalizers: readonly string[]): T {
    const current = this.objects.get(namespacedName(object));
    if (!current) throw new KubeError('kube-not-found', 'gone');
    if (current.metadata.resourceVersion !== object.metadata.resourceVersion)
      throw new KubeError('kube-conflict', 'changed');
    return this.put({ ...current, metadata: { ...current.metadata, finalizers } });
  }
}

export interface SentRequest {
  readonly kind: 'list' | 'patch';
  /** `namespace/name` of the connection. */
  readonly connection: string;
  /** The version of the connection's spec that the client was opened for. */
  readonly generation?: number;
  readonly scope: string;
  readonly alert?: string;
  readonly isActive?: boolean;
  readonly priority?: CallOptions['priority'];
  /** Virtual milliseconds since the start. */
  readonly atMs: number;
}

const silentObserver: Observer = {
  reconcileEnded: () => undefined,
  actionEnded: () => undefined,
  correctionSeen: () => undefined,
  connectionSeen: () => undefined,
  roundCompleted: () => undefined,
  connectionForgotten: () => undefined,
  statusWritten: () => undefined,
  dismissalsAbandoned: () => undefined,
};

export class FakeWorld {
  readonly clock = new ManualClock();
  readonly policies = new FakeStore<RoleAlertPolicy>();
  readonly connections = new FakeStore<RoleAlertConnection>();
  readonly clusterConnections = new FakeStore<ClusterRoleAlertConnection>();
  /** By name. */
  readonly namespaces = new Map<string, NamespaceMetadata>();
  /** The state of the API server where it differs from the cache. */
  readonly serverNamespaces = new Map<string, NamespaceMetadata | undefined>();
  /** Live alerts by scope. */
  readonly live = new Map<string, Alert[]>();
  readonly requests: SentRequest[] = [];
  readonly events: string[] = [];
  /** The same, whole. */
  readonly recordedEvents: Parameters<EventPort['record']>[0][] = [];
  readonly errors: string[] = [];
  /** What was logged with each of them. */
  readonly errorFacts: object[] = [];
  readonly infos: string[] = [];
  readonly warnings: string[] = [];
  /** How every reconcile ended. */
  readonly results: ReconcileResult[] = [];
  /** What the metrics count: `CONNECTION DIRECTION RESULT` of PATCHes, `CONNECTION CAUSE` of corrections, statuses by kind. */
  readonly counted: string[] = [];
  /** The connection of each completed round. */
  readonly rounds: string[] = [];
  /** Connections with series in the metrics. */
  readonly connectionSeries = new Set<string>();
  duringList: () => Promise<void> = async () => undefined;
  /** Asked before every request; what it throws is what the client throws. */
  onRequest: (request: SentRequest) => void = () => undefined;
  /** Awaited before a PATCH is sent, as for a permit or a token. */
  beforePatch: (isActive: boolean) => Promise<void> = async () => undefined;
  /** Awaited while a PATCH is in progress: between its send and its effect. */
  duringPatch: (request: SentRequest, signal: AbortSignal) => Promise<void> = async () => undefined;
  /** The state of the API server where it differs from the cache. */
  serverPolicies: Map<string, RoleAlertPolicy | undefined> = new Map();
  /** What the API server stores of a policy's status; an older schema drops members. */
  prune: (status: RoleAlertPolicyStatus) => RoleAlertPolicyStatus = (status) => status;
  /** Asked before every status write. */
  onStatusWrite: (kind: 'policy' | 'connection') => void = () => undefined;
  /** Called before the operator searches a connection in every shard. */
  onUidRead: () => void = () => undefined;
  /** False while another process may be the leader. */
  mayWrite = true;
  /** Requests that a list takes of the rate limiter, one after the other. */
  pagesOf: (scope: string) => number = () => 1;
  /** False lets a PATCH be accepted without effect. */
  doesStick = true;
  readonly controller: Controller;
  readonly #rateLimiter: RateLimiter | undefined;
  readonly #semaphore: Semaphore;
  readonly #purses = new Map<string, { isStopped: boolean }>();

  /** Uids of connections in other shards, by key; the operator serves a shard only when the world is made with some. */
  readonly elsewhere: Map<string, string> | undefined;

  constructor(
    change: {
      isReadOnly?: boolean;
      intervalMs?: number;
      /** The real rate limiter, half full as after a restart. Without it requests wait for nothing. */
      rateLimits?: RateLimits;
      /** Requests in flight; without it as many as there are. */
      maxConcurrent?: number;
      elsewhere?: ReadonlyMap<string, string>;
      fence?: (cluster: ClusterPort) => ClusterPort;
    } = {},
  ) {
    this.elsewhere = change.elsewhere && new Map(change.elsewhere);
    const { rateLimits } = change;
    this.#rateLimiter =
      rateLimits &&
      new RateLimiter({ clock: this.clock, ...rateLimits, initialTokens: Math.ceil(rateLimits.burst / 2) });
    this.#semaphore = new Semaphore(change.maxConcurrent ?? Infinity);
    const events: EventPort = {
      record: (event) => {
        this.recordedEvents.push(event);
        this.events.push(`${event.reason} ${event.regarding.name}`);
      },
    };
    this.controller = new Controller({
      cluster: change.fence?.(this.#cluster()) ?? this.#cluster(),
      clientFactory: {
        open: (opened) => this.#client(opened, this.#purseOf(opened.metadata.uid)),
        forget: (uid) => this.#forget(uid),
      },
      events,
      observer: {
        ...silentObserver,
        reconcileEnded: (result) => void this.results.push(result),
        connectionSeen: (key) => void this.connectionSeries.add(key),
        actionEnded: (key, ...facts) => this.#count(key, ...facts),
        correctionSeen: (key, ...facts) => this.#count(key, ...facts),
        statusWritten: (kind) => void this.counted.push(kind),
        roundCompleted: (key) => void this.rounds.push(key),
        connectionForgotten: (key) => void this.connectionSeries.delete(key),
      },
      clock: this.clock,
      random: seededRandom(1),
      log: this.#log(),
      isReadOnly: change.isReadOnly ?? false,
      defaultIntervalMs: change.intervalMs ?? 900_000,
      mayWrite: () => this.mayWrite,
    });
  }

  /** Policies with series in the metrics. */
  get series(): string[] {
    return [...this.controller.servedPolicies()].map(namespacedName);
  }

  #count(connection: string, ...facts: readonly string[]): void {
    this.connectionSeries.add(connection);
    this.counted.push([connection, ...facts].join(' '));
  }

  /** Applies objects before or after the start, and notifies the operator. */
  apply(object: Kind): void {
    const store = this.#storeOf(object);
    const previous = store.get(namespacedName(object));
    const stored = store.put(object as never);
    const change = { type: previous ? 'changed' : 'added', object: stored, previous } as never;
    if (object.kind === 'RoleAlertPolicy') this.controller.policyChanged(change);
    else this.controller.connectionChanged(change);
  }

  applyNamespace(object: NamespaceMetadata): void {
    const { name } = object.metadata;
    const previous = this.namespaces.get(name);
    this.namespaces.set(name, object);
    this.controller.namespaceChanged({ type: previous ? 'changed' : 'added', object, previous });
  }

  removeNamespace(name: string): void {
    const object = this.namespaces.get(name);
    this.namespaces.delete(name);
    if (object) this.controller.namespaceChanged({ type: 'deleted', object, previous: object });
  }

  /** With finalizers it is only marked, as by the API server. */
  remove(object: Kind): void {
    const store = this.#storeOf(object);
    const previous = store.get(namespacedName(object)) as Kind | undefined;
    if (previous && (previous.metadata.finalizers ?? []).length > 0) {
      const { generation } = previous.metadata;
      const deletionTimestamp = new Date(this.clock.now()).toISOString();
      const metadata = { ...previous.metadata, deletionTimestamp, generation: generation + 1 };
      this.apply({ ...previous, metadata } as Kind);
      return;
    }
    store.objects.delete(namespacedName(object));
    const change = { type: 'deleted', object: previous, previous } as never;
    if (object.kind === 'RoleAlertPolicy') this.controller.policyChanged(change);
    else this.controller.connectionChanged(change);
  }

  /** Another shard gets the connection: the watch reports it as deleted. */
  leaveShard(object: AnyConnection): void {
    const store = this.#storeOf(object);
    const previous = store.get(namespacedName(object));
    store.objects.delete(namespacedName(object));
    this.elsewhere?.set(namespacedName(object), object.metadata.uid);
    this.controller.connectionChanged({ type: 'deleted', object: previous, previous } as never);
  }

  count(kind: SentRequest['kind'], sinceMs = 0): number {
    return this.requests.filter((request) => request.kind === kind && request.atMs >= sinceMs).length;
  }

  /** `STATUS/REASON` of a policy's condition; the policy is named as `namespace/name`, or by its name in the namespace `team`. */
  condition(policy: string, type: string): string {
    const key = policy.includes('/') ? policy : `team/${policy}`;
    const found = this.policies.get(key)?.status?.conditions?.find((each) => each.type === type);
    return found ? `${found.status}/${found.reason}` : 'absent';
  }

  connectionReady(): string {
    const found = this.connections.get('team/prod')?.status?.conditions?.[0];
    return found ? `${found.status}/${found.reason}` : 'absent';
  }

  #storeOf(object: Kind): FakeStore<never> {
    const stores = {
      RoleAlertPolicy: this.policies,
      RoleAlertConnection: this.connections,
      ClusterRoleAlertConnection: this.clusterConnections,
    };
    return stores[object.kind] as FakeStore<never>;
  }

  #connection(key: string): AnyConnection | undefined {
    return this.connections.get(key) ?? this.clusterConnections.get(key);
  }

  #cluster(): ClusterPort {
    const settle = () => Promise.resolve();
    return {
      policies: this.policies,
      connections: {
        get: (key) => this.#connection(key),
        list: () => [...this.connections.list(), ...this.clusterConnections.list()],
        remember: () => undefined,
      },
      namespaces: this.namespaces,
      clusterNamespace: 'rolealerts-system',
      readNamespace: async (name) =>
        this.serverNamespaces.has(name) ? this.serverNamespaces.get(name) : this.namespaces.get(name),
      readPolicy: async (namespace, name) => {
        const key = `${namespace}/${name}`;
        return this.serverPolicies.has(key) ? this.serverPolicies.get(key) : this.policies.get(key);
      },
      readConnection: async (namespace, name) => this.#connection(`${namespace ?? ''}/${name}`),
      ...(this.elsewhere && { readUidAnywhere: this.#uidAnywhere.bind(this) }),
      replacePolicyStatus: async (policy, status) => {
        await settle();
        this.onStatusWrite('policy');
        const stored = this.policies.replaceStatus(policy, this.prune(status));
        return { ...stored, status };
      },
      replaceConnectionStatus: async (connection, status) => {
        await settle();
        this.onStatusWrite('connection');
        return connection.kind === 'RoleAlertConnection'
          ? this.connections.replaceStatus(connection, status)
          : this.clusterConnections.replaceStatus(connection, status);
      },
      replaceFinalizers: async (connection, finalizers) => {
        await settle();
        this.onStatusWrite('connection');
        const store = this.#storeOf(connection) as FakeStore<AnyConnection>;
        const stored = store.replaceFinalizers(connection, finalizers);
        if (stored.metadata.deletionTimestamp !== undefined && finalizers.length === 0)
          queueMicrotask(() => this.remove(stored));
        return stored;
      },
    };
  }

  async #uidAnywhere(namespace: string | undefined, name: string): Promise<string | undefined> {
    this.onUidRead();
    const key = `${namespace ?? ''}/${name}`;
    return this.#connection(key)?.metadata.uid ?? this.elsewhere?.get(key);
  }

  /** As operator/manager/alert-client-factory.ts does it: one for all openings of an object, and of no use once the object is forgotten. */
  #purseOf(uid: string): { isStopped: boolean } {
    const purse = this.#purses.get(uid) ?? { isStopped: false };
    this.#purses.set(uid, purse);
    return purse;
  }

  #forget(uid: string): void {
    const purse = this.#purses.get(uid);
    if (purse) purse.isStopped = true;
    this.#purses.delete(uid);
  }

  #client(opened: AnyConnection, purse: { readonly isStopped: boolean }): AlertClient {
    const connection = namespacedName(opened);
    const { generation } = opened.metadata;
    let isStopped = false;
    const send = (request: Omit<SentRequest, 'atMs' | 'connection' | 'generation'>) => {
      if (purse.isStopped) throw new StoppedError('The rate limiter was stopped.');
      if (isStopped) throw new StoppedError('The client was stopped.');
      const sent = { ...request, connection, generation, atMs: this.clock.monotonic() };
      this.requests.push(sent);
      try {
        this.onRequest(sent);
      } catch (error) {
        // as operator/alert-client/client.ts does it
        if (error instanceof CodedError && error.code === 'service-busy')
          this.#rateLimiter?.throttleFor(error.retryAfterMs ?? 0);
        throw error;
      }
    };
    return {
      listAlerts: async (scope, call) => {
        await Promise.resolve();
        const pages = this.pagesOf(scope);
        for (let page = 0; page < pages; page++) await this.#pay(call);
        const permit = call.permit ?? (await this.#semaphore.acquire(call.signal));
        try {
          call.beforeSend?.();
          send({ kind: 'list', scope, priority: call.priority });
          await this.duringList();
          return { alerts: [...(this.live.get(scope) ?? [])], pages };
        } finally {
          if (permit !== call.permit) permit.release();
        }
      },
      patchAlert: async (scope, alert, isActive, call) => {
        await Promise.resolve();
        await this.#pay(call);
        const permit = call.permit ?? (await this.#semaphore.acquire(call.signal));
        try {
          await this.beforePatch(isActive);
          call.beforeSend();
          send({ kind: 'patch', scope, alert, isActive, priority: call.priority });
          await this.duringPatch(
            { kind: 'patch', connection, scope, alert, isActive, atMs: this.clock.monotonic() },
            call.signal,
          );
          if (this.doesStick) this.turn(scope, alert, isActive);
          return 'sent';
        } finally {
          if (permit !== call.permit) permit.release();
        }
      },
      reserve: async (requests, call) =>
        (await this.#rateLimiter?.reserve(requests, call)) ?? { use: () => true, release: () => undefined },
      acquirePermit: (signal) => this.#semaphore.acquire(signal),
      stop: async () => void (isStopped = true),
    };
  }

  /** As operator/alert-client/client.ts does it. */
  async #pay(call: CallOptions): Promise<void> {
    if (!call.prepaid) await this.#rateLimiter?.acquire(1, call);
    else if (!call.prepaid.use()) throw new StoppedError('The request was cancelled.');
  }

  turn(scope: string, name: string, isActive: boolean): void {
    const alerts = this.live.get(scope) ?? [];
    this.live.set(
      scope,
      alerts.map((each) => (each.name === name ? { ...each, isActive } : each)),
    );
  }

  #log(): Logger {
    const error = (facts: object, message: string) => {
      this.errors.push(message);
      this.errorFacts.push(facts);
    };
    const info = (facts: object, message: string) => void this.infos.push(`${message} ${JSON.stringify(facts)}`);
    const warn = (facts: object, message: string) => void this.warnings.push(`${message} ${JSON.stringify(facts)}`);
    return { ...silentLogger, error, warn, info, child: () => silentLogger };
  }
}
