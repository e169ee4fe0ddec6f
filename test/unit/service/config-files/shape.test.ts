import { describe, expect, test } from 'vitest';

import {
  anyText,
  check,
  checked,
  list,
  object,
  parseTime,
  time,
  whole,
} from '../../../../src/service/config-files/shape.ts';

const shape = object(
  { name: anyText },
  {
    parts: list(object({ size: whole(1, 3) }, {}), 1, 2),
    at: time,
    even: checked(whole(0, 9), (n) => (n % 2 ? 'must be even' : undefined)),
  },
);

describe('a document', () => {
  test('of the shape has a meaning, without the members that are absent', () => {
    const document = { name: '', parts: [{ size: 3 }], at: '1970-01-01T00:00:01Z', even: undefined };
    expect(check(document, shape)).toEqual({ value: { name: '', parts: [{ size: 3 }], at: 1000 }, problems: [] });
    expect(Object.keys(check(document, shape).value ?? {})).toEqual(['name', 'parts', 'at']);
  });

  test.each([
    [[], ['it must be an object']],
    [{}, ['name is missing']],
    [{ name: null }, ['name must be text']],
    [{ name: '', constructor: 1 }, ['constructor is not a known member']],
    [{ nam: '' }, ['nam is not a known member: write name', 'name is missing']],
    [{ name: '', parts: [] }, ['parts must not be empty']],
    [{ name: '', parts: [{ size: 1 }, { size: 1 }, 7] }, ['parts must have at most 2 entries']],
    [
      { name: '', parts: [null, { size: 4 }] },
      ['parts[0] must be an object', 'parts[1].size must be a whole number from 1 to 3'],
    ],
    [{ name: '', at: 7, even: 3 }, ['at must be a time like 2026-12-24T18:00:00Z', 'even must be even']],
  ])('that is %j has no meaning, and every problem at once', (document, problems) => {
    expect(check(document, shape)).toEqual({ value: undefined, problems });
  });
});

// RFC 3339, and nothing else that JavaScript would guess a time from.

test.each([
  ['2026-12-24T18:00:00Z', Date.UTC(2026, 11, 24, 18)],
  ['2026-12-24T18:00:00+01:00', Date.UTC(2026, 11, 24, 17)],
  ['2026-12-24T18:00:00.123456789Z', Date.UTC(2026, 11, 24, 18) + 123],
])('%s is a time', (text, timeMs) => expect(parseTime(text)).toBe(timeMs));

test.each([
  '',
  '2026-12-24',
  '2026-12-24 18:00:00Z',
  '2026-12-24T18:00:00.1234567890Z',
  '2026-13-24T18:00:00Z',
  '2026-12-24T18:00:00Z\n',
])('%s is no time', (text) => expect(parseTime(text)).toBeUndefined());
