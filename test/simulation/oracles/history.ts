// Every version of every object of some kinds, and the time during which it was the newest. By `namespace/name`, and by `/name` for what has
// no namespace.
import { isDeepStrictEqual } from 'node:util';

import type { Known } from '../knowledge.ts';
import { keyAnywhere } from '../kube/connection-keys.ts';
import type { StoredObject } from '../kube/object.ts';
import type { World } from '../world.ts';

export interface Version {
  readonly fromMs: number;
  toMs: number;
  readonly object: StoredObject;
}

export class History {
  readonly #versions = new Map<string, Version[]>();

  constructor(world: World, ...plurals: readonly string[]) {
    for (const object of plurals.flatMap((plural) => world.api.store.list(plural))) {
      this.#versions.set(keyAnywhere(object), [{ fromMs: world.time.nowMs, toMs: Infinity, object }]);
    }
    world.api.store.onChange((change) => {
      if (!plurals.includes(change.plural)) return;
      const key = keyAnywhere(change.object);
      const versions = this.#versions.get(key) ?? [];
      const last = versions.at(-1);
      if (last?.toMs === Infinity) last.toMs = world.time.nowMs;
      if (change.type !== 'DELETED') versions.push({ fromMs: world.time.nowMs, toMs: Infinity, object: change.object });
      this.#versions.set(key, versions);
    });
  }

  keys(): string[] {
    return [...this.#versions.keys()];
  }

  versions(key: string): readonly Version[] {
    return this.#versions.get(key) ?? [];
  }

  /** Every version that was the newest at some moment of that window; with a key, only of that object. */
  during(fromMs: number, toMs: number, key?: string): StoredObject[] {
    const lists = key === undefined ? [...this.#versions.values()] : [this.#versions.get(key) ?? []];
    return lists.flatMap((versions) =>
      versions.filter((version) => version.fromMs <= toMs && version.toMs >= fromMs).map(({ object }) => object),
    );
  }
}

/** By `namespace/name`: each object as it was before its last change. */
export function rememberPrevious(world: World, plural: string): ReadonlyMap<string, StoredObject> {
  const before = new Map<string, StoredObject>();
  world.api.store.onChange((change) => {
    if (change.plural === plural && change.previous) before.set(keyAnywhere(change.object), change.previous);
  });
  return before;
}

interface Declared extends Version {
  object: StoredObject;
}

/** The versions of the declaration: a change of the status alone begins no new one. `object` is the newest with that spec. */
export class SpecHistory {
  readonly #versions = new Map<string, Declared[]>();

  constructor(world: World, ...plurals: readonly string[]) {
    for (const object of plurals.flatMap((plural) => world.api.store.list(plural)))
      this.#add(keyAnywhere(object), world.time.nowMs, object);
    world.api.store.onChange((change) => {
      if (!plurals.includes(change.plural)) return;
      const key = keyAnywhere(change.object);
      const last = this.#versions.get(key)?.at(-1);
      const isDeleted = change.type === 'DELETED';
      if (!isDeleted && last?.toMs === Infinity && isSameDeclaration(last.object, change.object)) {
        last.object = change.object;
        return;
      }
      if (last?.toMs === Infinity) last.toMs = world.time.nowMs;
      if (!isDeleted) this.#add(key, world.time.nowMs, change.object);
    });
  }

  keys(): string[] {
    return [...this.#versions.keys()];
  }

  /** Every version that was the newest at some moment of that window. */
  during(fromMs: number, toMs: number, key: string): readonly Version[] {
    return (this.#versions.get(key) ?? []).filter((version) => version.fromMs <= toMs && version.toMs >= fromMs);
  }

  /** The versions that a process which certainly knows `known` may believe: no older ones, and none that did not exist yet. */
  believable(key: string, known: Known | undefined, nowMs: number): StoredObject[] {
    return (this.#versions.get(key) ?? [])
      .filter(({ fromMs, toMs, object }) => {
        if (fromMs > nowMs) return false;
        if (!known) return toMs > nowMs - unknownMs;
        const version = Number(object.metadata.resourceVersion);
        return known.isDeleted ? version > known.version : version >= known.version;
      })
      .map(({ object }) => object);
  }

  #add(key: string, fromMs: number, object: StoredObject): void {
    const versions = this.#versions.get(key) ?? [];
    versions.push({ fromMs, toMs: Infinity, object });
    this.#versions.set(key, versions);
  }
}

/** How long a cache without events may lag. */
export const unknownMs = 300_000;
const annotation = 'rolealerts.dev/requestedAt';

function isSameDeclaration(a: StoredObject, b: StoredObject): boolean {
  return (
    a.metadata.uid === b.metadata.uid &&
    a.metadata.generation === b.metadata.generation &&
    a.metadata.deletionTimestamp === b.metadata.deletionTimestamp &&
    a.metadata.annotations?.[annotation] === b.metadata.annotations?.[annotation] &&
    isDeepStrictEqual(a.metadata.labels, b.metadata.labels)
  );
}
