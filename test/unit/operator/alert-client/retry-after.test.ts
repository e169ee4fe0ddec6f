import { describe, expect, test } from 'vitest';

import { seededRandom } from '../../../../src/lib/random.ts';
import { busyDelayMs, parseRetryAfter, throttledMs } from '../../../../src/operator/alert-client/classify.ts';

const nowMs = Date.UTC(2026, 0, 1, 12);

describe('Retry-After', () => {
  test.each([
    { value: '120', delayMs: 120_000 },
    { value: ' 0 ', delayMs: 0 },
    { value: '0.5', delayMs: 500 },
    { value: '9'.repeat(400), delayMs: Infinity },
    { value: 'Thu, 01 Jan 2026 12:00:30 GMT', delayMs: 30_000 },
    { value: 'Thursday, 01-Jan-26 12:00:30 GMT', delayMs: 30_000 },
    { value: 'Thu, 01 Jan 2026 11:00:00 GMT', delayMs: 0 },
    { value: 'Thu, 99 Jan 2026 11:00:00 GMT', delayMs: undefined },
    { value: '-5', delayMs: undefined },
    { value: '1e9', delayMs: undefined },
    { value: 'NaN', delayMs: undefined },
    { value: '', delayMs: undefined },
    { value: 'soon', delayMs: undefined },
    { value: '2026-01-01T12:00:30Z', delayMs: undefined },
  ])('of $value is $delayMs ms', ({ value, delayMs }) => {
    expect(parseRetryAfter(value, nowMs)).toBe(delayMs);
  });

  test('as a date counts from the clock of the sender', () => {
    const sent = 'Wed, 31 Dec 2025 09:00:00 GMT';
    expect(parseRetryAfter('Wed, 31 Dec 2025 09:00:20 GMT', nowMs, sent)).toBe(20_000);
    expect(parseRetryAfter('Thu, 01 Jan 2026 12:00:30 GMT', nowMs, 'nonsense')).toBe(30_000);
  });
});

describe('the pause of a busy service', () => {
  test.each([
    { namedMs: 1, delayMs: 1 },
    { namedMs: 60_000, delayMs: 60_000 },
    { namedMs: 3_600_001, delayMs: 3_600_000 },
    { namedMs: Infinity, delayMs: 3_600_000 },
  ])('for $delayMs ms when it named $namedMs', ({ namedMs, delayMs }) => {
    expect(busyDelayMs(namedMs, seededRandom(1))).toBe(delayMs);
  });

  test.each([undefined, 0, -1, Number.NaN])('for a jittered while when it named %s', (namedMs) => {
    const random = seededRandom(1);
    const delays = Array.from({ length: 50 }, () => busyDelayMs(namedMs, random));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(2500);
    expect(Math.max(...delays)).toBeLessThanOrEqual(7500);
    expect(new Set(delays).size).toBe(50);
  });
});

test.each([
  { status: 429, headers: {}, isThrottled: true },
  { status: 503, headers: { 'retry-after': 'soon' }, isThrottled: true },
  { status: 503, headers: {}, isThrottled: false },
  { status: 500, headers: { 'retry-after': '9' }, isThrottled: false },
])('a response of $status with the headers $headers asks to wait: $isThrottled', ({ status, headers, isThrottled }) => {
  expect(throttledMs({ status, headers }, nowMs, seededRandom(1)) !== undefined).toBe(isThrottled);
});

test('the first of several headers counts, from the Date of the response', () => {
  const headers = { 'retry-after': ['Wed, 31 Dec 2025 09:00:20 GMT', '1'], date: 'Wed, 31 Dec 2025 09:00:00 GMT' };
  expect(throttledMs({ status: 429, headers }, nowMs, seededRandom(1))).toBe(20_000);
});
