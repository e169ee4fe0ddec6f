// One namespace of a reflector, or all of them at once: a watcher that fills a cache.
import { LastingRefusal } from './lasting-refusal.ts';
import type { ObjectCache } from './object-cache.ts';
import type { ReflectorOptions } from './reflector-options.ts';
import { collectionPath, objectKey, type KubeObject } from './resource.ts';
import type { WatcherSink } from './watcher-options.ts';
import { runWatcher } from './watcher.ts';

/** One namespace, or all of them at once. */
export interface ReflectorPart<T extends KubeObject> {
  readonly namespace: string | undefined;
  readonly cache: ObjectCache<T>;
  hasSynced: boolean;
  lastContactMs: number;
}

/** Objects. V8 parses a page of a hundred in its young generation; larger ones leave most of their garbage in the old one. */
const defaultPageSize = 100;

/** The object with this key in any of the parts. */
export function firstOf<T extends KubeObject>(parts: readonly ReflectorPart<T>[], key: string): T | undefined {
  for (const { cache } of parts) {
    const object = cache.objects.get(key);
    if (object !== undefined) return object;
  }
  return undefined;
}

/** The objects of all parts. */
export function* objectsOf<T extends KubeObject>(parts: readonly ReflectorPart<T>[]): Iterable<T> {
  for (const { cache } of parts) yield* cache.objects.values();
}

/** Follows the namespace until the signal aborts. Calls `onWhole` after every complete list. Never rejects. */
export function runPart<T extends KubeObject>(
  options: ReflectorOptions<T>,
  part: ReflectorPart<T>,
  signal: AbortSignal,
  onWhole: () => void,
): Promise<void> {
  const { resource, observer, transport, clock, random, labelSelector, fieldSelector, answer } = options;
  const { cache, namespace } = part;
  const log = options.log.child({ resource: resource.plural, namespace });
  const refusal = new LastingRefusal(clock, options.forgetAfterRefusalMs ?? Infinity);
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
    transport,
    clock,
    random,
    labelSelector,
    fieldSelector,
    answer,
    signal,
    sink,
    log,
    path: collectionPath(resource, namespace),
    pageSize: options.pageSize ?? defaultPageSize,
    onSignOfLife: () => {
      part.lastContactMs = clock.monotonic();
    },
    onListed() {
      refusal.end();
      observer?.onListed(resource.plural);
    },
    onWatching() {
      refusal.end();
      observer?.onWatching(resource.plural);
    },
    onFailure(failure) {
      observer?.onFailure(resource.plural, failure.code);
      if (refusal.isTooLong(failure)) forget();
    },
  });
}
