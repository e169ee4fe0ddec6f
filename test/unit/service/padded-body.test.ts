import { expect, test } from 'vitest';

import { padBody } from '../../../src/service/faults/padded-body.ts';

/** Everything, asked for in slices of `step` bytes. */
function collected(text: string, paddingBytes: number, step: number): string {
  const body = padBody(Buffer.from(text), paddingBytes);
  const slices: Buffer[] = [];
  for (let from = 0; from < body.length; from += step) {
    slices.push(Buffer.from(body.slice(from, Math.min(from + step, body.length))));
  }
  return Buffer.concat(slices).toString();
}

test.each([
  { name: 'without padding', text: '{"a":1}', padding: 0, expected: '{"a":1}' },
  { name: 'with some', text: '{"a":1}', padding: 3, expected: '{"a":1   }' },
  { name: 'with more than there is body', text: '{}', padding: 20, expected: `{${' '.repeat(20)}}` },
  { name: 'of one byte', text: '0', padding: 2, expected: '  0' },
  { name: 'of nothing', text: '', padding: 2, expected: '  ' },
])('a body $name is the same in slices of any length', ({ text, padding, expected }) => {
  for (let step = 1; step <= expected.length + 1; step += 1) expect(collected(text, padding, step)).toBe(expected);
});
