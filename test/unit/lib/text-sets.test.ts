// Sets of texts by key, in whichever form they are kept.
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { TextSets } from '../../../src/lib/text-sets.ts';

const keys = ['k', 'l'];
const step = fc.record({
  isAdded: fc.boolean(),
  key: fc.constantFrom(...keys),
  member: fc.constantFrom('', 'a', 'b', 'c'),
});

it('holds what was added and not deleted since, in the order of the additions', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const sets = new TextSets();
      const model = new Map(keys.map((key) => [key, new Set<string>()]));
      for (const { isAdded, key, member } of steps) {
        if (isAdded) sets.add(key, member);
        else sets.delete(key, member);
        if (isAdded) model.get(key)?.add(member);
        else model.get(key)?.delete(member);
      }
      const held = [...model].filter(([, members]) => members.size > 0);
      expect(held.map(([key]) => sets.of(key))).toEqual(held.map(([, members]) => [...members]));
      expect([new Set(sets.keys()), sets.size]).toEqual([new Set(held.map(([key]) => key)), held.length]);
    }),
  );
});
