import { expect, test } from 'vitest';

import { retentionOption } from '../../../../src/lib/options/quantity.ts';

const option = retentionOption({ flag: 'keep', fallbackDays: 90, mostDays: 3650, description: 'How long.' });
const dayMs = 86_400_000;

test.each([
  ['90d', 90 * dayMs],
  ['3650d', 3650 * dayMs],
  ['12h', dayMs / 2],
  ['1m', 60_000],
  ['0', 0],
  ['0d', 0],
  ['0s', 0],
])('the time %s to keep something is %d ms', (text, value) => {
  expect(option.parse([text])).toEqual({ value });
});

test.each(['', '90', '3651d', '59s', '-1d', '1.5d', 'd', '1d12h'])(
  'the time %j to keep something is refused',
  (text) => {
    expect(option.parse([text])).toEqual({ expected: '0, or a time from 1m to 3650d, such as 90d or 12h' });
  },
);

test('a time to keep something is shown in days if they are whole', () => {
  expect([option.defaultText, option.show(3 * dayMs), option.show(dayMs / 2)]).toEqual(['90d', '3d', '12h0m0s']);
});
