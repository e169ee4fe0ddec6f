// The objects a reflector knows, and what changed with each one: the same object again changes nothing, another uid under one name
// is a deletion and an addition. No I/O; what the server said is applied in the order in which it is told.
import { isSameJson } from '../lib/same-json.ts';
import { isSameOrEarlier, objectKey, type KubeObject } from './resource.ts';

export interface ObjectEvent<T> {
  readonly type: 'added' | 'changed' | 'deleted';
  /** Of a deletion: the last state that is known. */
  readonly object: T;
  /** What was cached before. Absent for an addition. */
  readonly previous?: T;
  /** True until the first whole list has been applied. */
  readonly isInitial: boolean;
}

export interface ObjectCache<T extends KubeObject> {
  readonly objects: ReadonlyMap<string, T>;
  /** Takes over an object of a list or of an ADDED or MODIFIED event. */
  put(object: T): void;
  delete(object: T): void;
  /** Call it before the LIST is sent: what was remembered until then, the list holds. */
  startList(): void;
  /** Deletes what the list did not hold. From then on events are no longer initial. */
  finishList(): void;
  /**
   * Takes over the answer of a write of ours to the status, silently: its event will find nothing new. Ignored when it is older,
   * foreign, or shows that somebody else changed the rest: that is for the watch to tell.
   */
  remember(object: T): void;
}

export function createObjectCache<T extends KubeObject>(onEvent: (event: ObjectEvent<T>) => void): ObjectCache<T> {
  const objects = new Map<string, T>();
  /** Keys whose cached version came from a write of ours and was not yet seen in a list or watch. */
  const remembered = new Set<string>();
  /** Keys of the list under way. Absent between lists. */
  let listed: Set<string> | undefined;
  let isInitial = true;

  const drop = (key: string, last: T) => {
    const previous = objects.get(key);
    remembered.delete(key);
    if (previous !== undefined && objects.delete(key)) onEvent({ type: 'deleted', object: last, previous, isInitial });
  };

  /** An event that was on its way while our later write was answered must not bring the older state back. */
  const isOvertaken = (key: string, cached: T, object: T) =>
    remembered.has(key) && !isOtherObject(cached, object) && isNotLater(object, cached);

  return {
    objects,
    put(object) {
      const key = objectKey(object);
      listed?.add(key);
      const cached = objects.get(key);
      if (cached !== undefined && isOvertaken(key, cached, object)) return;
      remembered.delete(key);
      if (cached !== undefined && isOtherObject(cached, object)) drop(key, cached);
      const previous = objects.get(key);
      if (previous?.metadata.resourceVersion === object.metadata.resourceVersion) return;
      objects.set(key, stripUnusedMetadata(object));
      onEvent(
        previous === undefined
          ? { type: 'added', object, isInitial }
          : { type: 'changed', object, previous, isInitial },
      );
    },
    delete(object) {
      const key = objectKey(object);
      const cached = objects.get(key);
      if (cached === undefined) return;
      if (!isOtherObject(cached, object)) drop(key, stripUnusedMetadata(object));
      else if (!isNotLater(object, cached)) drop(key, cached);
    },
    startList() {
      listed = new Set();
      remembered.clear();
    },
    finishList() {
      for (const [key, object] of objects) if (listed?.has(key) === false) drop(key, object);
      listed = undefined;
      isInitial = false;
    },
    remember(object) {
      const key = objectKey(object);
      const cached = objects.get(key);
      if (cached === undefined || isOtherObject(cached, object) || isNotLater(object, cached)) return;
      if (!isSameJson(withoutVersion(stripUnusedMetadata(object)), withoutVersion(cached))) return;
      objects.set(key, object);
      remembered.add(key);
    },
  };
}

function isNotLater(left: KubeObject, right: KubeObject): boolean {
  return isSameOrEarlier(left.metadata.resourceVersion, right.metadata.resourceVersion);
}

function isOtherObject(left: KubeObject, right: KubeObject): boolean {
  return left.metadata.uid !== right.metadata.uid;
}

/** What others may change besides the status. */
function withoutVersion({ metadata }: KubeObject): object {
  return { ...metadata, resourceVersion: undefined };
}

/** Leaves out what only other tools read and what would double the memory, and guards the rest against a slip. */
function stripUnusedMetadata<T extends KubeObject>(object: T): T {
  const metadata = object.metadata as { managedFields?: unknown; annotations?: Record<string, string> };
  if (!Object.isFrozen(object)) {
    delete metadata.managedFields;
    delete metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'];
    Object.freeze(metadata);
    Object.freeze(object);
  }
  return object;
}
