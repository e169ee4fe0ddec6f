import { describe, expect, it } from 'vitest';

import { cutBytes, fitsBytes } from '../../../src/lib/clean-text.ts';

describe('cutting text to a number of bytes', () => {
  const cases: [string, string, number, string][] = [
    ['leaves alone what fits', 'Grüße', 7, 'Grüße'],
    ['puts an ellipsis at the cut', 'abcdef', 5, 'ab…'],
    ['does not split a character of two bytes', 'aüüü', 6, 'aü…'],
    ['does not split a character of four bytes', '🛡🛡', 7, '🛡…'],
    ['keeps the ellipsis alone when nothing else fits', '🛡🛡', 4, '…'],
    ['has nothing to say about nothing', '', 0, ''],
  ];
  it.each(cases)('%s', (_name, text, limit, expected) => {
    expect(cutBytes(text, limit)).toBe(expected);
    expect(Buffer.byteLength(cutBytes(text, limit))).toBeLessThanOrEqual(limit);
  });
});

it.each([
  ['Grüße', 6, false],
  ['Grüße', 7, true],
  ['🛡', 3, false],
  ['', 0, true],
])('counts the bytes of UTF-8: %s within %d is %s', (text, limit, expected) => {
  expect(fitsBytes(text, limit)).toBe(expected);
});
