// The cache and a server that answers status writes with metadata alone: whatever happens between the write, its response and
// the watch, the cache shows no spec that the server did not have at that version, and ends with what is stored.
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { createObjectCache } from '../../../../src/operator/kube/object-cache.ts';
import type { StoredObject } from '../../../simulation/kube/object.ts';
import { type Change, ObjectStore } from '../../../simulation/kube/store.ts';

type Stored = StoredObject & { readonly metadata: { readonly generation: number } };

const plural = 'things';

const actions = [
  'edit',
  'label',
  'their status',
  'recreate',
  'delete',
  'write cached',
  'write cached',
  'write fresh',
  'response',
  'deliver',
  'deliver',
  'relist',
  'end of list',
] as const;
const steps = fc.array(
  fc.record({ act: fc.constantFrom(...actions), name: fc.constantFrom('a', 'a', 'b'), isPruned: fc.boolean() }),
  { maxLength: 60, size: 'max' },
);

class Play {
  readonly server = new ObjectStore();
  readonly changes: Change[] = [];
  /** Every version that the server had, and the statuses that were sent, by version. */
  readonly versions = new Map<string, StoredObject>();
  readonly sent = new Map<string, StoredObject['status']>();
  readonly responses: Stored[] = [];
  /** What a client that follows the events knows. */
  readonly follower = new Map<string, string>();
  /** Events that do not fit what the earlier events reported. */
  readonly wrongEvents: string[] = [];
  #delivered = 0;
  #listing: { readonly objects: readonly StoredObject[]; readonly changes: number } | undefined;
  readonly cache = createObjectCache<Stored>(({ type, object, previous }) => {
    const { name } = object.metadata;
    const isNew = type === 'added';
    if (this.follower.has(name) === isNew || (previous === undefined) !== isNew) this.wrongEvents.push(type);
    if (type === 'deleted') this.follower.delete(name);
    else this.follower.set(name, identityOf(object));
  });

  constructor() {
    this.server.onChange((change) => {
      this.changes.push(change);
      this.versions.set(change.object.metadata.resourceVersion, change.object);
    });
  }

  take(act: (typeof actions)[number], name: string, isPruned: boolean): void {
    const { version } = this.server;
    const old = this.server.get(plural, name) as Stored | undefined;
    const now = old ?? created(name, version);
    const { generation } = now.metadata;
    switch (act) {
      case 'edit':
        this.#store({ ...now, metadata: { ...now.metadata, generation: generation + 1 }, spec: { edit: version } });
        return;
      case 'label':
        this.#store({ ...now, metadata: { ...now.metadata, labels: { edit: String(version) } } });
        return;
      case 'their status':
        this.#store({ ...now, status: { total: version } });
        return;
      case 'recreate':
      case 'delete':
        if (old) this.server.delete(plural, old);
        if (act === 'recreate') this.#store(created(name, version));
        return;
      case 'write cached':
        return this.#write(this.cache.objects.get(name), isPruned);
      case 'write fresh':
        return this.#write(old, isPruned);
      case 'response':
        return this.#respond();
      case 'deliver':
        return this.#deliver();
      case 'relist':
        return this.#list();
      case 'end of list':
        return this.#endList();
    }
  }

  /** Everything on the way arrives. */
  rest(): void {
    this.#endList();
    while (this.#delivered < this.changes.length) this.#deliver();
    while (this.responses.length > 0) this.#respond();
  }

  #store(object: StoredObject): StoredObject {
    return this.server.put(plural, object);
  }

  /** Only for the version that is stored, as the API server has it. Its response has the metadata; the rest is what was sent. */
  #write(known: Stored | undefined, isPruned: boolean): void {
    const old = known && this.server.get(plural, known.metadata.name);
    if (!old || old.metadata.resourceVersion !== known.metadata.resourceVersion) return;
    const total = this.server.version;
    const status = { total, ...(isPruned && { unknown: 1 }) };
    const { metadata } = this.#store({ ...old, status: { total } });
    this.sent.set(metadata.resourceVersion, status);
    this.responses.push({ ...known, metadata: structuredClone(metadata) as Stored['metadata'], status });
  }

  #respond(): void {
    const response = this.responses.shift();
    if (response) this.cache.remember(response);
  }

  #deliver(): void {
    // The reflector lists or watches, never both.
    if (this.#listing) return;
    const change = this.changes[this.#delivered];
    if (!change) return;
    this.#delivered += 1;
    const object = structuredClone(change.object) as Stored;
    if (change.type === 'DELETED') this.cache.delete(object);
    else this.#put(object);
  }

  #list(): void {
    if (this.#listing) return;
    this.cache.startList();
    this.#listing = { objects: structuredClone(this.server.list(plural)), changes: this.changes.length };
  }

  #endList(): void {
    const listing = this.#listing;
    if (!listing) return;
    this.#listing = undefined;
    for (const object of listing.objects) this.#put(object as Stored);
    this.cache.finishList();
    this.#delivered = listing.changes;
  }

  #put(object: Stored): void {
    if (!this.cache.confirm(object)) this.cache.put(object);
  }
}

function created(name: string, version: number): Stored {
  const metadata = { name, uid: `uid-${version}`, resourceVersion: '', creationTimestamp: '', generation: 1 };
  return { apiVersion: 'v1', kind: 'Thing', metadata, spec: { edit: 0 }, status: { total: 0 } };
}

function identityOf({ metadata: { uid, generation, labels } }: StoredObject): string {
  return `${uid} ${generation} ${labels?.['edit']}`;
}

it('the cache shows no spec that the server did not have at that version, and ends with what is stored', () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const play = new Play();
      play.cache.startList();
      play.cache.finishList();
      const shown = new Map<string, number>();
      for (const { act, name, isPruned } of taken) {
        play.take(act, name, isPruned);
        for (const { metadata, spec, status } of play.cache.objects.values()) {
          expect(Number(metadata.resourceVersion)).toBeGreaterThanOrEqual(shown.get(metadata.uid) ?? 0);
          shown.set(metadata.uid, Number(metadata.resourceVersion));
          const version = play.versions.get(metadata.resourceVersion);
          expect({ metadata, spec }).toEqual({ metadata: version?.metadata, spec: version?.spec });
          expect([version?.status, play.sent.get(metadata.resourceVersion)]).toContainEqual(status);
        }
      }
      play.rest();
      const stored = play.server.list(plural).map((object) => [object.metadata.name, object] as const);
      expect(play.wrongEvents).toEqual([]);
      expect(new Map(play.cache.objects)).toEqual(new Map(stored));
      expect(play.follower).toEqual(new Map(stored.map(([name, object]) => [name, identityOf(object)])));
    }),
    { numRuns: 1000 },
  );
});
