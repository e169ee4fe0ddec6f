// The controller in virtual time, over the simulated API server of test/simulation and a service in a map. The operator reaches the API server
// by its own client and caches; each change is delivered at once. Stories of the simulation show the rest; here the order of events in time counts.
import type { Alert } from '../../../src/alerts/types.ts';
import { CodedError, StoppedError } from '../../../src/lib/errors.ts';
import { type Logger, silentLogger } from '../../../src/lib/log.ts';
import { seededRandom } from '../../../src/lib/random.ts';
import type { AlertClient, CallOptions } from '../../../src/operator/alert-client/alert-client.ts';
import { RateLimiter, type RateLimits } from '../../../src/operator/alert-client/rate-limiter.ts';
import { Controller } from '../../../src/operator/controller.ts';
import type { ReconcileResult } from '../../../src/operator/decide/conclude.ts';
import { createCustomResources } from '../../../src/operator/kube/custom-resources.ts';
import { decodeNamespace, readNamespace } from '../../../src/operator/kube/namespaces.ts';
import { createObjectCache, type ObjectCache } from '../../../src/operator/kube/object-cache.ts';
import type { KubeObject } from '../../../src/operator/kube/resource.ts';
import { createKubeTransport, type KubeTransport } from '../../../src/operator/kube/transport.ts';
import type { ClusterPort, EventPort } from '../../../src/operator/ports.ts';
import { isClusterConnectionKey } from '../../../src/policy/connection-key.ts';
import {
  decodeClusterConnection,
  decodeConnection,
  type DecodedResource,
  decodePolicy,
} from '../../../src/policy/decode-resources.ts';
import type {
  AnyConnection,
  ClusterRoleAlertConnection,
  NamespaceMetadata,
  RoleAlertConnection,
  RoleAlertPolicy,
} from '../../../src/policy/resources.ts';
import { namespacedName } from '../../../src/policy/scope-ref.ts';
import { startOfTimeMs } from '../../simulation/engine/sim-process.ts';
import { SimApiServer } from '../../simulation/kube/api-server.ts';
import { keyOf, type StoredObject } from '../../simulation/kube/object.ts';
import { readResources } from '../../simulation/kube/resources.ts';
import { applySchema } from '../../simulation/kube/spec-rules.ts';
import type { Change } from '../../simulation/kube/store.ts';
import { AnsweringDispatcher } from '../servers/answering-dispatcher.ts';
import { ManualClock } from './manual-clock.ts';

const resources = await readResources();

type Kind = RoleAlertPolicy | AnyConnection;

const plurals = {
  RoleAlertPolicy: 'rolealertpolicies',
  RoleAlertConnection: 'rolealertconnections',
  ClusterRoleAlertConnection: 'clusterrolealertconnections',
} as const;

/** The operator's cache of one kind. */
class Cache<T extends KubeObject> {
  readonly #cache: ObjectCache<T>;
  readonly #decode: (stored: StoredObject) => DecodedResource<T>;
  /** Statuses of this kind that the operator has written. */
  writes = 0;

  constructor(
    decode: (stored: StoredObject) => DecodedResource<T>,
    onEvent: Parameters<typeof createObjectCache<T>>[0],
  ) {
    this.#decode = decode;
    this.#cache = createObjectCache(onEvent);
  }

  /** By `namespace/name`, or `/name`. */
  get(key: string): T | undefined {
    return this.#cache.objects.get(isClusterConnectionKey(key) ? key.slice(1) : key);
  }

  list(): Iterable<T> {
    return this.#cache.objects.values();
  }

  remember(object: T): void {
    this.#cache.remember(object);
  }

  see({ type, object }: Change): void {
    const { value, problems } = this.#decode(object);
    if (value === undefined) throw new Error(`the operator cannot read it: ${problems.join()}`);
    if (type === 'DELETED') this.#cache.delete(value);
    else this.#cache.put(value);
  }
}

export interface SentRequest {
  readonly kind: 'list' | 'patch';
  /** `namespace/name` of the connection. */
  readonly connection: string;
  readonly scope: string;
  readonly alert?: string;
  readonly isActive?: boolean;
  readonly priority?: CallOptions['priority'];
  /** Virtual milliseconds since the start. */
  readonly atMs: number;
}

export class ControllerWorld {
  readonly clock = new ManualClock();
  readonly api: SimApiServer;
  readonly policies = new Cache<RoleAlertPolicy>(decodePolicy, (event) => this.controller.policyChanged(event));
  readonly connections = new Cache<RoleAlertConnection>(decodeConnection, (event) =>
    this.controller.connectionChanged(event),
  );
  readonly clusterConnections = new Cache<ClusterRoleAlertConnection>(decodeClusterConnection, (event) =>
    this.controller.connectionChanged(event),
  );
  readonly #namespaces = new Cache<NamespaceMetadata>(decodeNamespace, (event) =>
    this.controller.namespaceChanged(event),
  );
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
  duringPatch: (signal: AbortSignal) => Promise<void> = async () => undefined;
  /** Asked before every status write. */
  onStatusWrite: (kind: 'policy' | 'connection') => void = () => undefined;
  /** False while another process may be the leader. */
  mayWrite = true;
  /** Requests that a list takes of the rate limiter, one after the other. */
  pagesOf: (scope: string) => number = () => 1;
  /** False lets a PATCH be accepted without effect. */
  doesStick = true;
  readonly controller: Controller;
  readonly #rateLimiter: RateLimiter | undefined;
  readonly #purses = new Map<string, { isStopped: boolean }>();

  /** Uids of connections in other shards, by key; the operator serves a shard only when the world is made with some. */
  readonly elsewhere: Map<string, string> | undefined;

  constructor(
    change: {
      isReadOnly?: boolean;
      intervalMs?: number;
      /** The real rate limiter, half full as after a restart. Without it requests wait for nothing. */
      rateLimits?: RateLimits;
      elsewhere?: ReadonlyMap<string, string>;
      fence?: (cluster: ClusterPort) => ClusterPort;
    } = {},
  ) {
    this.elsewhere = change.elsewhere && new Map(change.elsewhere);
    const { clock } = this;
    const time = {
      get nowMs() {
        return clock.now() - startOfTimeMs;
      },
      schedule: clock.setTimer.bind(clock),
    };
    this.api = new SimApiServer({ time, random: seededRandom(2), resources });
    this.api.store.onChange((seen) => this.#cacheOf(seen.plural)?.see(seen));
    const { rateLimits } = change;
    this.#rateLimiter =
      rateLimits &&
      new RateLimiter({ clock: this.clock, ...rateLimits, initialTokens: Math.ceil(rateLimits.burst / 2) });
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
        reconcileEnded: (result) => void this.results.push(result),
        connectionSeen: (key) => void this.connectionSeries.add(key),
        actionEnded: (key, ...facts) => this.#count(key, ...facts),
        correctionSeen: (key, ...facts) => this.#count(key, ...facts),
        statusWritten: (kind) => void this.counted.push(kind),
        roundCompleted: (key) => void this.rounds.push(key),
        connectionForgotten: (key) => void this.connectionSeries.delete(key),
        dismissalsAbandoned: () => undefined,
      },
      clock: this.clock,
      random: seededRandom(1),
      log: this.#log(),
      isReadOnly: change.isReadOnly ?? false,
      defaultIntervalMs: change.intervalMs ?? 900_000,
      mayWrite: () => this.mayWrite,
    });
  }

  #count(connection: string, ...facts: readonly string[]): void {
    this.connectionSeries.add(connection);
    this.counted.push([connection, ...facts].join(' '));
  }

  /** Starts the operator, and lets time pass. */
  async start(forMs = 0): Promise<void> {
    this.controller.start();
    await this.clock.advance(forMs);
  }

  /** Stores each object as it is, with its uid and its status, before or after the start. */
  apply(...objects: readonly Kind[]): void {
    for (const object of objects) this.#put(object);
  }

  #put(object: Kind): void {
    const { plural, schema } = this.api.resource(plurals[object.kind]);
    const shaped = schema && (applySchema(schema, { spec: object.spec, status: object.status }) as object);
    const before = this.api.store.get(plural, keyOf(object));
    if (before && before.metadata.uid !== object.metadata.uid) this.api.store.delete(plural, before);
    this.api.store.put(plural, { ...object, ...shaped } as unknown as StoredObject);
  }

  applyNamespace(object: NamespaceMetadata): void {
    this.api.store.put('namespaces', object as unknown as StoredObject);
  }

  /** With finalizers it is only marked. */
  remove(object: Kind): void {
    const { namespace, name } = object.metadata;
    const resource = this.api.resource(plurals[object.kind]);
    if (this.api.store.get(resource.plural, keyOf(object))) this.api.writes.delete(resource, namespace, name);
  }

  /** Another shard gets the connection: the watch reports it as deleted. */
  leaveShard(object: AnyConnection): void {
    this.elsewhere?.set(namespacedName(object), object.metadata.uid);
    const stored = this.api.store.get(plurals[object.kind], keyOf(object));
    if (stored) this.api.store.delete(plurals[object.kind], stored);
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

  #cacheOf(plural: string): Pick<Cache<KubeObject>, 'see'> | undefined {
    const caches: Readonly<Record<string, Pick<Cache<KubeObject>, 'see'>>> = {
      rolealertpolicies: this.policies,
      rolealertconnections: this.connections,
      clusterrolealertconnections: this.clusterConnections,
      namespaces: this.#namespaces,
    };
    return caches[plural];
  }

  #connection(key: string): AnyConnection | undefined {
    return isClusterConnectionKey(key) ? this.clusterConnections.get(key) : this.connections.get(key);
  }

  #transport(): KubeTransport {
    const requests = new AnsweringDispatcher((sent) => {
      const [sentAtMs, atMs] = [this.clock.monotonic(), this.clock.monotonic()];
      const answer = this.api.handle({ ...sent, process: 'operator', origin: '', sentAtMs, atMs }, () => {
        throw new Error('no request watches');
      });
      return { status: answer?.status ?? 500, body: JSON.parse(String(answer?.body)) as object };
    });
    const connection = {
      origin: '',
      basePath: '',
      requests,
      watches: requests,
      headers: async () => ({ authorization: 'Bearer sim-token' }),
      forgetCredentials: () => undefined,
      close: () => requests.destroy(),
    };
    return createKubeTransport({ connection, clock: this.clock });
  }

  #cluster(): ClusterPort {
    const transport = this.#transport();
    const server = createCustomResources(transport);
    const written = async <T>(kind: 'policy' | 'connection', write: () => Promise<T>): Promise<T> => {
      await Promise.resolve();
      this.onStatusWrite(kind);
      return write();
    };
    return {
      ...server,
      policies: this.policies,
      connections: {
        get: (key) => this.#connection(key),
        list: () => [...this.connections.list(), ...this.clusterConnections.list()],
        remember: (object) =>
          object.kind === 'RoleAlertConnection'
            ? this.connections.remember(object)
            : this.clusterConnections.remember(object),
      },
      namespaces: this.#namespaces,
      clusterNamespace: 'rolealerts-system',
      readNamespace: (name, signal) => readNamespace(transport, name, signal),
      ...(this.elsewhere && { readUidAnywhere: this.#uidAnywhere.bind(this) }),
      replacePolicyStatus: (...call) =>
        written('policy', async () => {
          const stored = await server.replacePolicyStatus(...call);
          this.policies.writes++;
          return stored;
        }),
      replaceConnectionStatus: (...call) =>
        written('connection', async () => {
          const stored = await server.replaceConnectionStatus(...call);
          if (stored.kind === 'RoleAlertConnection') this.connections.writes++;
          else this.clusterConnections.writes++;
          return stored;
        }),
      replaceFinalizers: (...call) => written('connection', () => server.replaceFinalizers(...call)),
    };
  }

  async #uidAnywhere(namespace: string | undefined, name: string): Promise<string | undefined> {
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
    let isStopped = false;
    const send = (request: Omit<SentRequest, 'atMs' | 'connection'>) => {
      if (purse.isStopped) throw new StoppedError('The rate limiter was stopped.');
      if (isStopped) throw new StoppedError('The client was stopped.');
      const sent = { ...request, connection, atMs: this.clock.monotonic() };
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
        call.beforeSend?.();
        send({ kind: 'list', scope, priority: call.priority });
        await this.duringList();
        return { alerts: [...(this.live.get(scope) ?? [])], pages };
      },
      patchAlert: async (scope, alert, isActive, call) => {
        await Promise.resolve();
        await this.#pay(call);
        await this.beforePatch(isActive);
        call.beforeSend();
        send({ kind: 'patch', scope, alert, isActive, priority: call.priority });
        await this.duringPatch(call.signal);
        if (this.doesStick) this.turn(scope, alert, isActive);
        return 'sent';
      },
      reserve: async (requests, call) =>
        (await this.#rateLimiter?.reserve(requests, call)) ?? { use: () => true, release: () => undefined },
      acquirePermit: async () => ({ release: () => undefined }),
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
