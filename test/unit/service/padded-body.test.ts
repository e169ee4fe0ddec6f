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

test('a slice of a gigabyte is no longer than asked for', () => {
  const body = padBody(Buffer.from('{}'), 2 ** 30);
  expect(body.length).toBe(2 ** 30 + 2);
  expect(body.slice(2 ** 29, 2 ** 29 + 65_536)).toHaveLength(65_536);
  expect(Buffer.from(body.slice(2 ** 30, 2 ** 30 + 2)).toString()).toBe(' }');
});
