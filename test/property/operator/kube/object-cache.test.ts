// The cache and the events agree, whatever is repeated, and whenever the response of our own write arrives.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createObjectCache } from '../../../../src/operator/kube/object-cache.ts';
import type { KubeObject } from '../../../../src/operator/kube/resource.ts';

type Step = {
  readonly do: 'write' | 'create' | 'delete';
  readonly name: string;
  readonly repeat: number;
  readonly remembered: boolean;
};

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom('write', 'write', 'create', 'delete'),
  name: fc.constantFrom('a', 'b', 'c'),
  repeat: fc.integer({ min: 1, max: 3 }),
  remembered: fc.boolean(),
});

describe('a cache of objects', () => {
  it('ends in the state of the server, as a client that follows the events does', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        const server = new Map<string, KubeObject>();
        const follower = new Map<string, string>();
        const cache = createObjectCache<KubeObject>(({ type, object, previous }) => {
          const { name, uid } = object.metadata;
          expect(follower.get(name)).toBe(type === 'added' ? undefined : previous?.metadata.uid);
          if (type === 'deleted') follower.delete(name);
          else follower.set(name, uid);
        });
        cache.startList();
        cache.finishList();
        let version = 0;
        for (const { do: kind, name, repeat, remembered } of steps) {
          const old = server.get(name);
          const resourceVersion = String((version += 1));
          if (kind === 'delete') {
            server.delete(name);
            if (old) cache.delete({ metadata: { ...old.metadata, resourceVersion } });
            continue;
          }
          const uid = kind === 'create' || !old ? `uid-${version}` : old.metadata.uid;
          const object = { metadata: { name, uid, resourceVersion } };
          server.set(name, object);
          if (remembered) cache.remember({ metadata: { ...object.metadata } });
          for (let count = 0; count < repeat; count++) cache.put({ metadata: { ...object.metadata } });
        }
        expect([...cache.objects.values()].toSorted(byName)).toEqual([...server.values()].toSorted(byName));
        const uids = new Map([...server].map(([name, { metadata }]) => [name, metadata.uid]));
        expect(follower).toEqual(uids);
      }),
    );
  });
});

function byName(left: KubeObject, right: KubeObject): number {
  return left.metadata.name < right.metadata.name ? -1 : 1;
}
