// One namespace of a reflector, or all of them at once: a watcher that fills a cache.
import type { KubeFailure } from './kube-error.ts';
import type { ObjectCache } from './object-cache.ts';
import type { ReflectorOptions } from './reflector-options.ts';
import { collectionPath, objectKey, type KubeObject } from './resource.ts';
import type { WatcherSink } from './watcher-step.ts';
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

/** Follows the namespace until the signal aborts. Calls `onWhole` after every complete list. Never rejects. */
export function runPart<T extends KubeObject>(
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
