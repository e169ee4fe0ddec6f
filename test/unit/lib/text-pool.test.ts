// One copy of repeated texts, within a bound.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { TextPool } from '../../../src/lib/text-pool.ts';

/** Records the texts that it is asked for. */
class RecordingPool extends TextPool {
  readonly asked: string[] = [];

  override of(text: string): string {
    this.asked.push(text);
    return super.of(text);
  }
}

describe('a pool of texts', () => {
  it('copies similar values one after another without changing them', () => {
    // Without -0, which JSON does not distinguish from 0.
    const parsed = fc.jsonValue({ maxDepth: 2 }).map((json): unknown => JSON.parse(JSON.stringify(json)));
    const member = fc.oneof(fc.constantFrom('a', 1, null, [], {}, ['a'], { b: 'a' }), parsed);
    const values = fc.array(fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), member), { maxLength: 5 });
    fc.assert(
      fc.property(values, (list) => {
        const pool = new TextPool(2);
        const before = structuredClone(list);
        const copies = list.map((json) => pool.copyOf(json, list[0]));
        expect([copies, list]).toEqual([before, before]);
      }),
    );
  });

  it('shares what is the same value as before, and asks for no text of it', () => {
    const spec = { scope: 'subscriptions/a' };
    const before = { spec, status: { reason: 'Pending' } };
    const pool = new RecordingPool();
    const copy = pool.copyOf({ spec, status: { reason: 'Succeeded' } }, before);
    expect(copy.spec).toBe(spec);
    expect(pool.asked).toEqual(['Succeeded']);
  });

  it('shares what is equal in the copy before, at the same place', () => {
    const pool = new TextPool();
    const object = (name: string, types: readonly string[]) => ({ name, spec: { damping: { window: '6h' } }, types });
    const [a, b, c] = [object('a', ['x']), object('b', ['x']), object('c', ['x', 'y'])].map((each) =>
      pool.copyOf(each),
    );
    expect(b?.spec).toBe(a?.spec);
    expect(b?.types).toBe(a?.types);
    expect(c?.spec).toBe(a?.spec);
    expect(c?.types).toEqual(['x', 'y']);
  });
});
