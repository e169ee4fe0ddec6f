// The objects of the simulated API server: one counter of versions for all of them, and their history. Every write
// passes through here, from any client.
import { keyOf, Refusal, type StoredObject } from './object.ts';

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

export interface Change {
  readonly version: number;
  readonly plural: string;
  readonly type: ChangeType;
  readonly object: StoredObject;
  /** As it was before. */
  readonly previous: StoredObject | undefined;
}

const firstVersion = 100;

export class ObjectStore {
  readonly #objects = new Map<string, Map<string, StoredObject>>();
  readonly #changes: Change[] = [];
  readonly #listeners = new Set<(change: Change) => void>();
  #version = firstVersion;
  #compactedVersion = 0;

  get version(): number {
    return this.#version;
  }

  get(plural: string, key: string): StoredObject | undefined {
    return this.#objects.get(plural)?.get(key);
  }

  /** In the order of their keys, as the API server lists them. */
  list(plural: string, namespace?: string): StoredObject[] {
    const all = [...(this.#objects.get(plural)?.values() ?? [])];
    const own = namespace === undefined ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
    return own.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  /** Stores it under the next version, and notifies the watches. */
  put(plural: string, object: StoredObject): StoredObject {
    const objects = this.#of(plural);
    const previous = objects.get(keyOf(object));
    const stored = this.#versioned(object);
    objects.set(keyOf(stored), stored);
    this.#notify({ version: this.#version, plural, type: previous ? 'MODIFIED' : 'ADDED', object: stored, previous });
    return stored;
  }

  delete(plural: string, object: StoredObject): void {
    const previous = this.#of(plural).get(keyOf(object));
    if (!previous) return;
    this.#of(plural).delete(keyOf(object));
    const last = this.#versioned(object);
    this.#notify({ version: this.#version, plural, type: 'DELETED', object: last, previous });
  }

  /** Changes after that version, oldest first. Throws 410 when some of them are no longer known. */
  changesSince(version: number, plural: string): Change[] {
    if (version < this.#compactedVersion) throw new Refusal(410, `too old resource version: ${version}`);
    return this.#changes.filter((change) => change.version > version && change.plural === plural);
  }

  get compactedVersion(): number {
    return this.#compactedVersion;
  }

  /** Compacts the changes so far: a watch from an earlier version has to list again. */
  compact(): void {
    this.#compactedVersion = this.#version;
    this.#changes.length = 0;
  }

  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #versioned(object: StoredObject): StoredObject {
    this.#version++;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
  }

  #notify(change: Change): void {
    this.#changes.push(change);
    for (const listener of this.#listeners) listener(change);
  }

  #of(plural: string): Map<string, StoredObject> {
    let objects = this.#objects.get(plural);
    if (!objects) {
      objects = new Map();
      this.#objects.set(plural, objects);
    }
    return objects;
  }
}
