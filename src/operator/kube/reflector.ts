// Keeps the objects of one resource in memory, in all namespaces or in some, and reports changes to its handlers. It is a facade over
// one watcher per namespace (reflector-part.ts); object-cache.ts decides what counts as a change.
import { TextPool } from '../../lib/text-pool.ts';
import { createObjectCache } from './object-cache.ts';
import type { ReflectorOptions } from './reflector-options.ts';
import { type ReflectorPart, runPart } from './reflector-part.ts';
import type { KubeObject } from './resource.ts';

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
