// Keeps the objects of one resource in memory, in all namespaces or in some, and reports changes to its handlers. It is a facade over
// one watcher per namespace (watcher.ts); object-cache.ts decides what counts as a change.
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import type { KubeFailure } from './kube-error.ts';
import { createObjectCache, type ObjectCache, type ObjectEvent } from './object-cache.ts';
import { collectionPath, objectKey, type KubeObject, type KubeResource } from './resource.ts';
import type { KubeTransport } from './transport.ts';
import { runWatcher, type WatcherSink } from './watcher.ts';

/** Called in the order of the events, in the same tick as the change of the cache. Exceptions are logged and otherwise ignored. */
export interface ReflectorHandlers<T> {
  onEvent(event: ObjectEvent<T>): void;
  /** Called once, after the events of the first complete list of every namespace. */
  onSynced(): void;
}

export interface ReflectorObserver {
  onListed(resource: string): void;
  onWatching(resource: string): void;
  onFailure(resource: string, code: KubeFailure['code']): void;
}

export interface Reflector<T> {
  readonly hasSynced: boolean;
  /** `clock.monotonic()` of the last sign of life of the slowest watcher; at most three minutes old while all watchers run. */
  readonly lastContactMs: number;
  /** By `namespace/name`, or by name for a cluster-scoped resource. */
  get(key: string): T | undefined;
  list(): Iterable<T>;
  /** Idempotent. */
  start(): void;
  /**
   * Lists everything again, with a state of the API server from after this call. Resolves with true when the cache holds it, however
   * long the server is unreachable, or with false when the reflector stops first. Call it after `start`.
   */
  relist(): Promise<boolean>;
  stop(): Promise<void>;
  /**
   * Stores the response to a write in the cache without an event, unless the cache already holds a later version. The watch may be
   * faster than the response; then there was an event, and a handler sees by `generation` that the spec is unchanged.
   */
  remember(object: T): void;
}

export interface ReflectorOptions<T> {
  readonly resource: KubeResource;
  /** Absent or empty: all namespaces. */
  readonly namespaces?: readonly string[] | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /**
   * Decodes an object. Without a value the reflector logs the problems and treats the object as deleted. Absent: accepts every object
   * with a name, a uid and a resourceVersion.
   */
  readonly decode?: ((object: KubeObject) => { readonly value?: T; readonly problems: readonly string[] }) | undefined;
  /** Objects per page of a list. Default 500. */
  readonly pageSize?: number | undefined;
  readonly handlers: ReflectorHandlers<T>;
  readonly observer?: ReflectorObserver | undefined;
}

/** One namespace, or all of them at once. */
interface Part<T extends KubeObject> {
  readonly namespace: string | undefined;
  readonly cache: ObjectCache<T>;
  hasSynced: boolean;
  lastContactMs: number;
}

const defaultPageSize = 500;

export function createReflector<T extends KubeObject>(options: ReflectorOptions<T>): Reflector<T> {
  const { clock, log, handlers } = options;
  const stopping = new AbortController();
  let running: Promise<unknown> | undefined;
  let run = new AbortController();

  const callHandler = (call: () => void) => {
    try {
      call();
    } catch (err) {
      log.error({ err, resource: options.resource.plural }, 'a watch handler failed');
    }
  };
  const parts = namespacesOf(options.namespaces).map((namespace): Part<T> => ({
    namespace,
    cache: createObjectCache<T>((event) => callHandler(() => handlers.onEvent(event))),
    hasSynced: false,
    lastContactMs: clock.monotonic(),
  }));
  const hasSynced = () => parts.every((part) => part.hasSynced);
  const onSynced = (part: Part<T>) => {
    if (part.hasSynced) return;
    part.hasSynced = true;
    if (hasSynced()) callHandler(() => handlers.onSynced());
  };
  /** Each run begins with a list; `onListed` is called once that is complete in every namespace. */
  const runAll = (signal: AbortSignal, onListed: () => void) => {
    let listed = 0;
    return Promise.all(
      parts.map((part) => {
        let isFirst = true;
        return runPart(options, part, signal, () => {
          onSynced(part);
          if (isFirst && (listed += 1) === parts.length) onListed();
          isFirst = false;
        });
      }),
    );
  };

  return {
    get hasSynced() {
      return hasSynced();
    },
    get lastContactMs() {
      return Math.min(...parts.map((part) => part.lastContactMs));
    },
    get: (key) => firstOf(parts, key),
    list: () => objectsOf(parts),
    start() {
      running ??= runAll(AbortSignal.any([stopping.signal, run.signal]), () => undefined);
    },
    async relist() {
      run.abort();
      await running;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      run = new AbortController();
      running = runAll(AbortSignal.any([stopping.signal, run.signal]), () => resolve(true));
      if (stopping.signal.aborted) return false;
      stopping.signal.addEventListener('abort', () => resolve(false), { once: true });
      return promise;
    },
    async stop() {
      stopping.abort();
      await running;
    },
    remember(object) {
      const owner = parts.find(({ namespace }) => namespace === undefined || namespace === object.metadata.namespace);
      owner?.cache.remember(object);
    },
  };
}

function namespacesOf(namespaces: readonly string[] = []): readonly (string | undefined)[] {
  return namespaces.length === 0 ? [undefined] : [...new Set(namespaces)];
}

function firstOf<T extends KubeObject>(parts: readonly Part<T>[], key: string): T | undefined {
  for (const { cache } of parts) {
    const object = cache.objects.get(key);
    if (object !== undefined) return object;
  }
  return undefined;
}

function* objectsOf<T extends KubeObject>(parts: readonly Part<T>[]): Iterable<T> {
  for (const { cache } of parts) yield* cache.objects.values();
}

function runPart<T extends KubeObject>(
  options: ReflectorOptions<T>,
  part: Part<T>,
  signal: AbortSignal,
  onWhole: () => void,
): Promise<void> {
  const { resource, observer, transport, clock, random, labelSelector, fieldSelector } = options;
  const { cache, namespace } = part;
  const log = options.log.child({ resource: resource.plural, namespace });
  const decode = (object: KubeObject) => {
    const { value, problems } = options.decode?.(object) ?? { value: object as T, problems: [] };
    if (value === undefined)
      log.warn({ object: objectKey(object), problems }, 'ignoring an object that cannot be decoded');
    return value;
  };
  /** The deletion event carries the last state that could be decoded. */
  const leaveOut = (object: KubeObject) => {
    const known = cache.objects.get(objectKey(object));
    if (known) cache.delete(known);
  };
  const sink: WatcherSink = {
    startList: () => cache.startList(),
    put(object) {
      const readable = decode(object);
      if (readable) cache.put(readable);
      else leaveOut(object);
    },
    delete(object) {
      const readable = decode(object);
      if (readable) cache.delete(readable);
      else if (cache.objects.get(objectKey(object))?.metadata.uid === object.metadata.uid) leaveOut(object);
    },
    finishList() {
      cache.finishList();
      onWhole();
    },
  };
  return runWatcher({
    transport,
    clock,
    random,
    labelSelector,
    fieldSelector,
    signal,
    sink,
    log,
    path: collectionPath(resource, namespace),
    pageSize: options.pageSize ?? defaultPageSize,
    onSignOfLife: () => {
      part.lastContactMs = clock.monotonic();
    },
    onListed: () => observer?.onListed(resource.plural),
    onWatching: () => observer?.onWatching(resource.plural),
    onFailure: (code) => observer?.onFailure(resource.plural, code),
  });
}
