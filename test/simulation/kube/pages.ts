// Lists in pages: the later pages of a list show it as it was at its first, until its version is forgotten.
import { Refusal, type StoredObject } from './object.ts';
import type { ObjectStore } from './store.ts';

interface Rest {
  readonly version: number;
  readonly objects: readonly StoredObject[];
}

export class Pages {
  readonly #rests = new Map<string, Rest>();
  #tokens = 0;

  page(
    store: ObjectStore,
    request: { readonly objects: () => StoredObject[]; readonly limit: number; readonly continueToken: string },
  ): { version: number; objects: readonly StoredObject[]; next?: string } {
    const { version, objects } = this.#rest(store, request);
    const { limit } = request;
    if (limit === 0 || objects.length <= limit) return { version, objects };
    const next = `page-${this.#tokens++}`;
    this.#rests.set(next, { version, objects: objects.slice(limit) });
    return { version, objects: objects.slice(0, limit), next };
  }

  #rest(
    store: ObjectStore,
    { objects, continueToken }: { objects: () => StoredObject[]; continueToken: string },
  ): Rest {
    if (continueToken === '') return { version: store.version, objects: objects() };
    const rest = this.#rests.get(continueToken);
    this.#rests.delete(continueToken);
    if (rest && rest.version >= store.compactedVersion) return rest;
    throw new Refusal(410, 'The provided continue parameter is too old');
  }
}
