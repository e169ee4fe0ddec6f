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
  it('copies any JSON without changing it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (json, previous) => {
        const before = structuredClone(json);
        expect(new TextPool(2).copyOf(json, previous)).toEqual(before);
        expect(json).toEqual(before);
      }),
    );
  });

  it('gives back an equal text, in whichever order texts come and however small it is', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'x'.repeat(300))), (texts) => {
        const pool = new TextPool(2);
        expect(texts.map((text) => pool.of(text))).toEqual(texts);
      }),
    );
  });

  it('makes a new object at every level, so that the copy can be frozen', () => {
    const json = { a: { b: [{ c: 'text' }] } };
    const copy = new TextPool().copyOf(json);
    expect(copy).not.toBe(json);
    expect(copy.a).not.toBe(json.a);
    expect(copy.a.b[0]).not.toBe(json.a.b[0]);
  });

  it('shares what is the same value as before, and asks for no text of it', () => {
    const spec = { scope: 'subscriptions/a' };
    const before = { spec, status: { reason: 'Pending' } };
    const pool = new RecordingPool();
    const copy = pool.copyOf({ spec, status: { reason: 'Succeeded' } }, before);
    expect(copy.spec).toBe(spec);
    expect(pool.asked).toEqual(['Succeeded']);
  });

  it('keeps a member with the name of an inherited one', () => {
    const json = JSON.parse('{"__proto__":"a","constructor":{"toString":["b"]}}') as object;
    expect(JSON.stringify(new TextPool().copyOf(json, {}))).toBe(JSON.stringify(json));
  });
});
