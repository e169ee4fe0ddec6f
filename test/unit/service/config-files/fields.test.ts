// Times in configuration files: RFC 3339, and nothing else that JavaScript would guess a time from.
import { expect, test } from 'vitest';

import { parseTime } from '../../../../src/service/config-files/fields.ts';

test.each([
  ['2026-12-24T18:00:00Z', Date.UTC(2026, 11, 24, 18)],
  ['2026-12-24T18:00:00+01:00', Date.UTC(2026, 11, 24, 17)],
  ['2026-12-24T18:00:00.5Z', Date.UTC(2026, 11, 24, 18) + 500],
  ['2026-12-24T18:00:00.123456789Z', Date.UTC(2026, 11, 24, 18) + 123],
])('%s is a time', (text, timeMs) => expect(parseTime(text)).toBe(timeMs));

test.each([
  '',
  '2026',
  '2026-12-24',
  '2026-12-24T18:00Z',
  '2026-12-24T18:00:00',
  '2026-12-24 18:00:00Z',
  '2026-12-24T18:00:00.Z',
  '2026-12-24T18:00:00.1234567890Z',
  '2026-13-24T18:00:00Z',
  '2026-12-24T18:00:00Z\n',
  ' 2026-12-24T18:00:00Z',
  'Thu, 24 Dec 2026 18:00:00 GMT',
])('%s is no time', (text) => expect(parseTime(text)).toBeUndefined());
