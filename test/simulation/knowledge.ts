// The certain knowledge of each process about the API server's objects: the newest version that it received by a watch, by a read, or
// in a response. It may know more (from lists), never less. Its caches contain only objects from lists and watches.
import type { SimExchange } from './engine/types.ts';
import { connectionPlurals, pluralOfKey, storeKey } from './kube/connection-keys.ts';
import { keyOf, type StoredObject } from './kube/object.ts';
import type { World } from './world.ts';

export interface Known {
  /** Of the object, as a number. */
  readonly version: number;
  readonly isDeleted: boolean;
  readonly atMs: number;
}

/** A write may be on its way for two minutes, and is judged by what was known when it was sent. */
const keptMs = 120_000;
const watched = new Set(['rolealertpolicies', 'namespaces', ...connectionPlurals]);
const objectPath =
  /\/(rolealertpolicies|rolealertconnections|clusterrolealertconnections|namespaces)\/[^/?]+(\/status)?$/;
const listPath = /\/(rolealertpolicies|rolealertconnections|clusterrolealertconnections|namespaces)\?limit=/;

export class Knowledge {
  readonly #world: World;
  readonly #known = new Map<string, Known>();
  readonly #cached = new Map<string, Known[]>();

  constructor(world: World) {
    this.#world = world;
    world.api.onDelivered.push((process, plural, object, isDeleted) => {
      this.#learn(process, plural, object, isDeleted);
      if (watched.has(plural)) this.#cache(process, plural, object, isDeleted);
    });
    world.onExchange.push((exchange) => this.#read(exchange));
  }

  /** `key` is `namespace/name`, or the name of a cluster-scoped object. Undefined when nothing is surely known. */
  of(process: string, plural: string, key: string): Known | undefined {
    return this.#known.get(`${process} ${plural} ${key}`);
  }

  /** By the key of a connection (kube/connection-keys.ts). */
  ofConnection(process: string, key: string): Known | undefined {
    return this.of(process, pluralOfKey(key), storeKey(key));
  }

  /** The newest version of a connection in the cache of a process at a moment: a list or a watch brought it. */
  cachedConnection(process: string, key: string, atMs: number): Known | undefined {
    return this.cached(process, pluralOfKey(key), storeKey(key), atMs);
  }

  /** The newest version of an object in the cache of a process at a moment. What it read besides is not in there. */
  cached(process: string, plural: string, key: string, atMs: number): Known | undefined {
    return this.#cached.get(`${process} ${plural} ${key}`)?.findLast((known) => known.atMs <= atMs);
  }

  #cache(process: string, plural: string, object: StoredObject, isDeleted: boolean): void {
    const key = `${process} ${plural} ${keyOf(object)}`;
    const version = Number(object.metadata.resourceVersion);
    const before = this.#cached.get(key) ?? [];
    const kept = before.filter((known) => known.atMs > this.#world.time.nowMs - keptMs || known === before.at(-1));
    if ((before.at(-1)?.version ?? 0) < version)
      this.#cached.set(key, [...kept, { version, isDeleted, atMs: this.#world.time.nowMs }]);
  }

  #read({ request, outcome, answerBody }: SimExchange): void {
    if (outcome !== 200 || answerBody === undefined || !['GET', 'PUT'].includes(request.method)) return;
    const [, listed] = listPath.exec(request.path) ?? [];
    if (listed !== undefined)
      for (const object of itemsOf(String(answerBody))) this.#cache(request.process, listed, object, false);
    const [, plural] = objectPath.exec(request.path) ?? [];
    if (plural === undefined) return;
    const object = parsed(String(answerBody));
    if (object) this.#learn(request.process, plural, object, false);
  }

  #learn(process: string, plural: string, object: StoredObject, isDeleted: boolean): void {
    if (!watched.has(plural)) return;
    const key = `${process} ${plural} ${keyOf(object)}`;
    const version = Number(object.metadata.resourceVersion);
    const before = this.#known.get(key);
    if (before && before.version >= version) return;
    this.#known.set(key, { version, isDeleted, atMs: this.#world.time.nowMs });
  }
}

function parsed(body: string): StoredObject | undefined {
  const value = jsonOf(body) as Partial<StoredObject> | null;
  return typeof value?.metadata?.resourceVersion === 'string' ? (value as StoredObject) : undefined;
}

function itemsOf(body: string): readonly StoredObject[] {
  const list = jsonOf(body) as { readonly items?: readonly StoredObject[] } | null;
  return list?.items ?? [];
}

/** Null when the response did not come from the API server. */
function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
