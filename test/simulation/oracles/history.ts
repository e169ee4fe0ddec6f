// Every version of every policy and connection, and from when to when it stood.
import type { StoredObject } from '../kube/object.ts';
import { keyOf } from '../kube/object.ts';
import type { World } from '../world.ts';

interface Version {
  readonly fromMs: number;
  toMs: number;
  readonly object: StoredObject;
}

export class History {
  readonly #versions = new Map<string, Version[]>();

  constructor(world: World, plural: string) {
    for (const object of world.api.store.list(plural)) {
      this.#versions.set(keyOf(object), [{ fromMs: world.time.nowMs, toMs: Infinity, object }]);
    }
    world.api.store.onChange((change) => {
      if (change.plural !== plural) return;
      const key = keyOf(change.object);
      const versions = this.#versions.get(key) ?? [];
      const last = versions.at(-1);
      if (last?.toMs === Infinity) last.toMs = world.time.nowMs;
      if (change.type !== 'DELETED') versions.push({ fromMs: world.time.nowMs, toMs: Infinity, object: change.object });
      this.#versions.set(key, versions);
    });
  }

  /** Every version that stood at some moment of that window; with a key, only of that object. */
  during(fromMs: number, toMs: number, key?: string): StoredObject[] {
    const lists = key === undefined ? [...this.#versions.values()] : [this.#versions.get(key) ?? []];
    return lists.flatMap((versions) =>
      versions.filter((version) => version.fromMs <= toMs && version.toMs >= fromMs).map(({ object }) => object),
    );
  }
}
