// The cache and a server that answers status writes with metadata alone: whatever happens between the write, its response and
// the watch, the cache shows no spec that the server did not have at that version, and ends with what is stored.
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { createObjectCache } from '../../../../src/operator/kube/object-cache.ts';
import type { KubeObject } from '../../../../src/operator/kube/resource.ts';

interface Stored extends KubeObject {
  readonly metadata: KubeObject['metadata'] & {
    readonly generation: number;
    readonly labels: { readonly edit: string };
  };
  readonly spec: { readonly edit: number };
  readonly status: { readonly total: number; readonly unknown?: number };
}

type Change = { readonly type: 'PUT' | 'DELETED'; readonly object: Stored };

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
  readonly server = new Map<string, Stored>();
  /** Every version that the server had. */
  readonly versions = new Map<string, Stored>();
  readonly sent = new Map<string, Stored['status']>();
  readonly changes: Change[] = [];
  readonly responses: Stored[] = [];
  /** What a client that follows the events knows. */
  readonly follower = new Map<string, string>();
  /** Events that do not fit what the earlier events reported. */
  readonly wrongEvents: string[] = [];
  #version = 0;
  #delivered = 0;
  #listing: { readonly objects: readonly Stored[]; readonly changes: number } | undefined;
  readonly cache = createObjectCache<Stored>(({ type, object, previous }) => {
    const { name } = object.metadata;
    const isNew = type === 'added';
    if (this.follower.has(name) === isNew || (previous === undefined) !== isNew) this.wrongEvents.push(type);
    if (type === 'deleted') this.follower.delete(name);
    else this.follower.set(name, identityOf(object));
  });

  take(act: (typeof actions)[number], name: string, isPruned: boolean): void {
    const old = this.server.get(name);
    switch (act) {
      case 'edit':
        return this.#store(name, old, (object) => ({
          ...object,
          metadata: { ...object.metadata, generation: object.metadata.generation + 1 },
          spec: { edit: this.#version },
        }));
      case 'label':
        return this.#store(name, old, (object) => ({
          ...object,
          metadata: { ...object.metadata, labels: { edit: String(this.#version) } },
        }));
      case 'their status':
        return this.#store(name, old, (object) => ({ ...object, status: { total: this.#version } }));
      case 'recreate':
      case 'delete':
        if (old) this.#remove(name, old);
        return act === 'recreate' ? this.#store(name, undefined, (object) => object) : undefined;
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

  #store(name: string, old: Stored | undefined, change: (object: Stored) => Stored): void {
    const resourceVersion = String((this.#version += 1));
    const created: Stored = {
      metadata: { name, uid: `uid-${resourceVersion}`, resourceVersion, generation: 1, labels: { edit: '' } },
      spec: { edit: 0 },
      status: { total: 0 },
    };
    const changed = change(old ?? created);
    const object = { ...changed, metadata: { ...changed.metadata, resourceVersion } };
    this.server.set(name, object);
    this.versions.set(resourceVersion, object);
    this.changes.push({ type: 'PUT', object });
  }

  #remove(name: string, old: Stored): void {
    this.server.delete(name);
    const metadata = { ...old.metadata, resourceVersion: String((this.#version += 1)) };
    this.changes.push({ type: 'DELETED', object: { ...old, metadata } });
  }

  /** Only for the version that is stored, as the API server has it. Its response has the metadata; the rest is what was sent. */
  #write(known: Stored | undefined, isPruned: boolean): void {
    const old = known && this.server.get(known.metadata.name);
    if (!old || old.metadata.resourceVersion !== known.metadata.resourceVersion) return;
    if (old.metadata.uid !== known.metadata.uid) return;
    const status = { total: this.#version + 1, ...(isPruned && { unknown: 1 }) };
    this.#store(old.metadata.name, old, (object) => ({ ...object, status: { total: status.total } }));
    const { metadata } = this.server.get(old.metadata.name) ?? old;
    this.sent.set(metadata.resourceVersion, status);
    this.responses.push({ ...known, metadata: structuredClone(metadata), status });
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
    const object = structuredClone(change.object);
    if (change.type === 'DELETED') this.cache.delete(object);
    else this.#put(object);
  }

  #list(): void {
    if (this.#listing) return;
    this.cache.startList();
    this.#listing = { objects: structuredClone([...this.server.values()]), changes: this.changes.length };
  }

  #endList(): void {
    const listing = this.#listing;
    if (!listing) return;
    this.#listing = undefined;
    for (const object of listing.objects) this.#put(object);
    this.cache.finishList();
    this.#delivered = listing.changes;
  }

  #put(object: Stored): void {
    if (!this.cache.confirm(object)) this.cache.put(object);
  }
}

function identityOf({ metadata: { uid, generation, labels } }: Stored): string {
  return `${uid} ${generation} ${labels.edit}`;
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
      const stored = [...play.server];
      expect(play.wrongEvents).toEqual([]);
      expect(new Map(play.cache.objects)).toEqual(play.server);
      expect(play.follower).toEqual(new Map(stored.map(([name, object]) => [name, identityOf(object)])));
    }),
    { numRuns: 1000 },
  );
});
