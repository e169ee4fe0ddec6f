// Options with a time.
import { expect, test } from 'vitest';

import { optionalDurationOption, timeOption } from '../../../../src/lib/options/quantity.ts';

const time = timeOption({ flag: 'until', description: 'x' });
const length = optionalDurationOption({ flag: 'for', least: 60_000, most: 3_600_000, description: 'x' });

test.each(['2026-12-24T00:00:00Z', '2026-12-24T01:00:00+01:00', '2026-12-24T00:00:00.000Z'])('%s is a time', (text) => {
  expect(time.parse([text])).toEqual({ value: Date.UTC(2026, 11, 24) });
});

test.each(['2026-12-24', 'tomorrow', '2026-12-24T00:00:00', '2026-13-24T00:00:00Z', ''])('%j is no time', (text) => {
  expect(time.parse([text])).toEqual({ expected: 'an RFC 3339 time such as 2026-12-24T00:00:00Z' });
});

test('a length has bounds', () => {
  expect(length.parse(['1h'])).toEqual({ value: 3_600_000 });
  for (const text of ['59s', '61m', 'x'])
    expect(length.parse([text])).toEqual({ expected: 'a duration from 1m0s to 1h0m0s, such as 8h' });
});

test('the log shows both as a user writes them, and nothing without a value', () => {
  expect(time.show(Date.UTC(2026, 11, 24))).toBe('2026-12-24T00:00:00Z');
  expect(length.show(3_600_000)).toBe('1h0m0s');
  expect([time.show(undefined), length.show(undefined)]).toEqual([undefined, undefined]);
});
