// Lists in pages: the later pages of a list show it as it was at the first, until its version is forgotten.
import { Refusal, type StoredObject } from './object.ts';
import type { ObjectStore } from './store.ts';

interface Rest {
  readonly version: number;
  readonly objects: readonly StoredObject[];
}

interface Page extends Rest {
  readonly next?: string;
  /** How many objects come after it. */
  readonly left: number;
}

/** Lists whose later pages can still be asked for; of older ones the API server has forgotten the version. */
const openLists = 100;

export class Pages {
  readonly #rests = new Map<string, Rest>();
  #tokens = 0;

  page(
    store: ObjectStore,
    request: { readonly objects: () => StoredObject[]; readonly limit: number; readonly continueToken: string },
  ): Page {
    const { version, objects } = this.#rest(store, request);
    const { limit } = request;
    if (limit === 0 || objects.length <= limit) return { version, objects, left: 0 };
    const next = `page-${this.#tokens++}`;
    this.#rests.set(next, { version, objects: objects.slice(limit) });
    this.#rests.delete(`page-${this.#tokens - openLists}`);
    return { version, objects: objects.slice(0, limit), next, left: objects.length - limit };
  }

  /** A page can be asked for again, as often as its response is lost. */
  #rest(
    store: ObjectStore,
    { objects, continueToken }: { objects: () => StoredObject[]; continueToken: string },
  ): Rest {
    if (continueToken === '') return { version: store.version, objects: objects() };
    const rest = this.#rests.get(continueToken);
    if (rest && rest.version >= store.compactedVersion) return rest;
    throw new Refusal(410, 'The provided continue parameter is too old');
  }
}
