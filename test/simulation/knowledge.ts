// What each process surely knows of the objects of the API server: the newest version that a watch brought it, that it read, or that
// it was answered with. It may know more (from lists), never less.
import type { SimExchange } from './engine/types.ts';
import { keyOf, type StoredObject } from './kube/object.ts';
import type { World } from './world.ts';

export interface Known {
  /** Of the object, as a number. */
  readonly version: number;
  readonly isDeleted: boolean;
  readonly atMs: number;
}

const plurals = new Set(['rolealertpolicies', 'rolealertconnections']);
const objectPath = /\/(rolealertpolicies|rolealertconnections)\/[^/?]+(\/status)?$/;

export class Knowledge {
  readonly #world: World;
  readonly #known = new Map<string, Known>();

  constructor(world: World) {
    this.#world = world;
    world.api.onTold.push((process, plural, object, isDeleted) => this.#learn(process, plural, object, isDeleted));
    world.onExchange.push((exchange) => this.#read(exchange));
  }

  /** `key` is `namespace/name`. Undefined when nothing is surely known. */
  of(process: string, plural: string, key: string): Known | undefined {
    return this.#known.get(`${process} ${plural} ${key}`);
  }

  #read({ request, outcome, answerBody }: SimExchange): void {
    if (outcome !== 200 || answerBody === undefined || !['GET', 'PUT'].includes(request.method)) return;
    const [, plural] = objectPath.exec(request.path) ?? [];
    if (plural === undefined) return;
    const object = parsed(String(answerBody));
    if (object) this.#learn(request.process, plural, object, false);
  }

  #learn(process: string, plural: string, object: StoredObject, isDeleted: boolean): void {
    if (!plurals.has(plural)) return;
    const key = `${process} ${plural} ${keyOf(object)}`;
    const version = Number(object.metadata.resourceVersion);
    const before = this.#known.get(key);
    if (before && before.version >= version) return;
    this.#known.set(key, { version, isDeleted, atMs: this.#world.time.nowMs });
  }
}

/** Something else may have answered in the place of the API server. */
function parsed(body: string): StoredObject | undefined {
  try {
    const value = JSON.parse(body) as Partial<StoredObject> | null;
    return typeof value?.metadata?.resourceVersion === 'string' ? (value as StoredObject) : undefined;
  } catch {
    return undefined;
  }
}
