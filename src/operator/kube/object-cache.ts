// The cache of a reflector, which emits an event for every change. An unchanged object causes no event; another uid under the same
// name is a deletion and an addition. It keeps an object without the metadata that the operator does not use, and repeated texts once. No
// I/O; the caller applies objects in the server's order.
import { isSameJson } from '../../lib/json-shape.ts';
import { TextPool } from '../../lib/text-pool.ts';
import { isSameOrEarlier, type KubeObject, objectKey } from './resource.ts';

export interface ObjectEvent<T> {
  readonly type: 'added' | 'changed' | 'deleted';
  /** For a deletion, the last known state. */
  readonly object: T;
  /** The object that was cached before. Absent for an addition. */
  readonly previous?: T;
  /** True until the first complete list has been applied. */
  readonly isInitial: boolean;
}

/** An object that is not decoded yet. */
type Unread = KubeObject & { readonly status?: unknown };

export type ObjectCache<T extends KubeObject> = ReturnType<typeof createObjectCache<T>>;

/** `texts` may be shared by several caches: objects of one resource repeat the same texts in every namespace. */
export function createObjectCache<T extends KubeObject>(
  onEvent: (event: ObjectEvent<T>) => void,
  texts = new TextPool(),
) {
  const objects = new Map<string, T>();
  /** Keys whose cached version comes from our own write and has not arrived in a list or watch yet. */
  const remembered = new Set<string>();
  /** Keys of the list in progress. Absent between lists. */
  let listed: Set<string> | undefined;
  let isInitial = true;

  const drop = (key: string, last: T) => {
    const previous = objects.get(key);
    remembered.delete(key);
    if (previous !== undefined && objects.delete(key)) onEvent({ type: 'deleted', object: last, previous, isInitial });
  };

  /** A delayed event must not replace the newer state of our own write. */
  const isOvertaken = (key: string, cached: T, object: T) =>
    remembered.has(key) && !isOtherObject(cached, object) && isNotLater(object, cached) && !isVersion(cached, object);

  return {
    objects: objects as ReadonlyMap<string, T>,
    /**
     * True when the cache holds this version as it is stored, so that nothing has to be decoded or put. A list in progress then
     * counts the object as listed.
     */
    confirm(object: Unread): boolean {
      const key = objectKey(object);
      const cached: Unread | undefined = objects.get(key);
      if (cached === undefined || !isVersion(cached, object)) return false;
      // What is remembered of an own write was sent, and may be stored differently.
      if (!isSameJson(cached.status, object.status)) return false;
      listed?.add(key);
      return true;
    },
    /** Stores an object of a list or of an ADDED or MODIFIED event. */
    put(stored: T): void {
      const key = objectKey(stored);
      listed?.add(key);
      const cached = objects.get(key);
      if (cached !== undefined && isOvertaken(key, cached, stored)) return;
      if (cached !== undefined && isVersion(cached, stored)) {
        objects.set(key, keptObject(stored, cached, texts));
        return;
      }
      remembered.delete(key);
      if (cached !== undefined && isOtherObject(cached, stored)) drop(key, cached);
      const previous = objects.get(key);
      const object = keptObject(stored, previous, texts);
      objects.set(key, object);
      onEvent(
        previous === undefined
          ? { type: 'added', object, isInitial }
          : { type: 'changed', object, previous, isInitial },
      );
    },
    delete(object: T): void {
      const key = objectKey(object);
      const cached = objects.get(key);
      if (cached === undefined) return;
      if (!isOtherObject(cached, object)) drop(key, keptObject(object, cached, texts));
      else if (!isNotLater(object, cached)) drop(key, cached);
    },
    /** Call it before the LIST is sent: the list contains every write that was remembered before. */
    startList(): void {
      listed = new Set();
      remembered.clear();
    },
    /** Deletes the objects that the list did not contain. Later events are no longer initial. */
    finishList(): void {
      for (const [key, object] of objects) if (listed?.has(key) === false) drop(key, object);
      listed = undefined;
      isInitial = false;
    },
    /**
     * Stores the result of our own status write without an event, so that the watch event of that write causes none either: it only
     * replaces a status that is stored differently. Ignores a result that is older or belongs to another object. What others changed
     * before the write, as other metadata shows, has its event: nothing may be decided from what is known to be outdated.
     */
    remember(object: T): void {
      const key = objectKey(object);
      const previous = objects.get(key);
      if (previous === undefined || isOtherObject(previous, object) || isNotLater(object, previous)) return;
      const kept = keptObject(object, previous, texts);
      objects.set(key, kept);
      remembered.add(key);
      const isChanged = !isSameJson(withoutVersion(kept), withoutVersion(previous));
      if (isChanged) onEvent({ type: 'changed', object: kept, previous, isInitial });
    },
  };
}

function isNotLater(left: KubeObject, right: KubeObject): boolean {
  return isSameOrEarlier(left.metadata.resourceVersion, right.metadata.resourceVersion);
}

function isVersion(left: KubeObject, right: KubeObject): boolean {
  return left.metadata.resourceVersion === right.metadata.resourceVersion && !isOtherObject(left, right);
}

function isOtherObject(left: KubeObject, right: KubeObject): boolean {
  return left.metadata.uid !== right.metadata.uid;
}

/** The metadata that other writers may change. */
function withoutVersion(object: KubeObject): object {
  return { ...usedMetadata(object), resourceVersion: undefined };
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * A frozen copy with the texts of the pool, which shares what is the same value in `previous`: the spec, when only the status was
 * written.
 */
export function keptObject<T extends KubeObject>(object: T, previous: T | undefined, texts: TextPool): T {
  const kept = texts.copyOf<KubeObject>({ ...object, metadata: usedMetadata(object) }, previous);
  Object.freeze(kept.metadata);
  return Object.freeze(kept) as T;
}

/**
 * The metadata without `managedFields` and the annotation with the last applied configuration, which would double the memory. A
 * copy: deleting members of a parsed object turns it into a hash table, several times as large.
 */
export function usedMetadata({ metadata }: KubeObject): KubeObject['metadata'] {
  const { managedFields: _, annotations, ...rest } = metadata;
  if (annotations === undefined) return rest;
  const { [lastApplied]: _applied, ...others } = annotations;
  return { ...rest, annotations: others };
}
