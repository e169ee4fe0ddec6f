import { expect, test } from 'vitest';

import { createRateLimit } from '../../../src/service/http/rate-limit.ts';
import { handClock } from '../../support/servers/alerts-service.ts';

test('a caller has ten seconds of its rate at once, then its rate, and no other caller pays for it', () => {
  const clock = handClock();
  const limit = createRateLimit(2, clock);
  const waits = Array.from({ length: 21 }, () => limit('a'));
  expect(waits.slice(0, 20)).toEqual(Array(20).fill(0));
  expect(waits[20]).toBe(500);
  expect(limit('b')).toBe(0);
  clock.advance(499);
  expect(limit('a')).toBeGreaterThan(0);
  clock.advance(1);
  expect([limit('a'), limit('a')]).toEqual([0, 500]);
  clock.advance(3_600_000);
  expect(Array.from({ length: 21 }, () => limit('a')).filter((wait) => wait === 0)).toHaveLength(20);
});

test('a rate below one in ten seconds lets one through now and then', () => {
  const clock = handClock();
  const limit = createRateLimit(0.05, clock);
  expect([limit('a'), limit('a')]).toEqual([0, 20_000]);
  clock.advance(20_000);
  expect(limit('a')).toBe(0);
});

test('without a limit no caller waits', () => {
  const limit = createRateLimit(undefined, handClock());
  expect(Array.from({ length: 1000 }, () => limit('a')).every((wait) => wait === 0)).toBe(true);
});
