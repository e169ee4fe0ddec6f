import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createLineSplitter } from '../../../../src/operator/kube/api-server-call.ts';

describe('cutting bytes into lines', () => {
  it('gives the same lines however the bytes are split over chunks', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((text) => !text.includes('\n'));
    const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 9 }));
    fc.assert(
      fc.property(fc.array(line), fc.string({ maxLength: 5 }), sizes, (lines, rest, sizes) => {
        const bytes = Buffer.from([...lines, rest.replaceAll('\n', '')].join('\n'));
        const splitter = createLineSplitter(10_000);
        const seen: string[] = [];
        for (let offset = 0; offset < bytes.length;) {
          const size = sizes.next().value;
          for (const found of splitter.push(bytes.subarray(offset, offset + size))) seen.push(found.toString('utf8'));
          offset += size;
        }
        expect(seen).toEqual(lines.filter((text) => text !== ''));
      }),
    );
  });

  it('gives up on a line that does not end', () => {
    const splitter = createLineSplitter(10);
    splitter.push(Buffer.from('12345'));
    expect(() => splitter.push(Buffer.from('678901'))).toThrow(RangeError);
  });
});
