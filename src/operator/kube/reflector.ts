// Keeps the objects of one resource in memory, in all namespaces or in some, and reports changes to its handlers. It is a facade over
// one watcher per namespace; object-cache.ts decides what counts as a change.
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import { TextPool } from '../../lib/text-pool.ts';
import type { KubeFailure } from './kube-error.ts';
import { createObjectCache, type ObjectCache, type ObjectEvent } from './object-cache.ts';
import { collectionPath, type KubeObject, type KubeResource, objectKey } from './resource.ts';
import type { KubeTransport } from './transport.ts';
import { runWatcher, type WatcherSink } from './watcher.ts';

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
  const texts = new TextPool();
  const parts = namespacesOf(options.namespaces).map((namespace): ReflectorPart<T> => ({
    namespace,
    cache: createObjectCache<T>((event) => callHandler(() => handlers.onEvent(event)), texts),
    hasSynced: false,
    lastContactMs: clock.monotonic(),
  }));
  const hasSynced = () => parts.every((part) => part.hasSynced);
  const onSynced = (part: ReflectorPart<T>) => {
    if (part.hasSynced) return;
    part.hasSynced = true;
    if (hasSynced()) callHandler(() => handlers.onSynced?.());
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
    get: (key) => parts.find(({ cache }) => cache.objects.has(key))?.cache.objects.get(key),
    *list() {
      for (const { cache } of parts) yield* cache.objects.values();
    },
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

/** One namespace, or all of them at once. */
interface ReflectorPart<T extends KubeObject> {
  readonly namespace: string | undefined;
  readonly cache: ObjectCache<T>;
  hasSynced: boolean;
  lastContactMs: number;
}

/** Objects. V8 parses a page of a hundred in its young generation; larger ones leave most of their garbage in the old one. */
const defaultPageSize = 100;

/** Follows the namespace until the signal aborts. Calls `onWhole` after every complete list. Never rejects. */
function runPart<T extends KubeObject>(
  options: ReflectorOptions<T>,
  part: ReflectorPart<T>,
  signal: AbortSignal,
  onWhole: () => void,
): Promise<void> {
  const { resource, observer, clock, forgetAfterRefusalMs = Infinity } = options;
  const { cache, namespace } = part;
  const log = options.log.child({ resource: resource.plural, namespace });
  /** When the API server refused the collection for the first time since it served it. */
  let refusedSinceMs: number | undefined;
  /** The watcher lists again before it watches, as it does after every refusal, so the cache is whole once that succeeds. */
  const forget = () => {
    const objects = cache.objects.size;
    if (objects === 0) return;
    log.error({ objects }, 'forgot the cached objects, because the API server no longer serves them to the operator');
    cache.startList();
    cache.finishList();
  };
  const decode = (object: KubeObject) => {
    const { value, problems } = options.decode?.(object) ?? { value: object as T, problems: [] };
    if (value === undefined) {
      const { namespace: where, name } = object.metadata;
      const fields = { resource: resource.plural, namespace: where, name, problems };
      options.log.warn(fields, 'ignoring an object that cannot be decoded');
    }
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
      if (cache.confirm(object)) return;
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
    ...options,
    signal,
    sink,
    log,
    path: collectionPath(resource, namespace),
    pageSize: options.pageSize ?? defaultPageSize,
    onSignOfLife: () => {
      part.lastContactMs = clock.monotonic();
    },
    onServed() {
      refusedSinceMs = undefined;
      observer?.onServed(resource.plural);
    },
    onFailure(failure) {
      observer?.onFailure(resource.plural, failure.code);
      if (!isRefusal(failure)) return;
      refusedSinceMs ??= clock.monotonic();
      if (clock.monotonic() - refusedSinceMs >= forgetAfterRefusalMs) forget();
    },
  });
}

/** An expired credential or a timeout says nothing about the collection. */
function isRefusal({ code, status }: KubeFailure): boolean {
  return code === 'kube-not-found' || (code === 'kube-denied' && status !== 401);
}

/** Called in the order of the events, in the same tick as the change of the cache. Exceptions are logged and otherwise ignored. */
interface ReflectorHandlers<T> {
  onEvent(event: ObjectEvent<T>): void;
  /** Called once, after the events of the first complete list of every namespace. */
  onSynced?(): void;
}

interface ReflectorObserver {
  /** A list is complete, or the API server accepted a watch. */
  onServed(resource: string): void;
  onFailure(resource: string, code: KubeFailure['code']): void;
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
  /** Whole objects, the default, or their metadata only. */
  readonly answer?: 'object' | 'metadata' | undefined;
  /**
   * How long the API server may refuse the collection (403 or 404) until the cache forgets its objects; milliseconds. Absent: it keeps
   * them.
   */
  readonly forgetAfterRefusalMs?: number | undefined;
  /** Objects per page of a list. Default 100. */
  readonly pageSize?: number | undefined;
  readonly handlers: ReflectorHandlers<T>;
  readonly observer?: ReflectorObserver | undefined;
}
