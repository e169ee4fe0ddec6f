// What a response of the service means: its status, its wait and its error body.
import { describe, expect, test } from 'vitest';

import { seededRandom } from '../../../../src/lib/random.ts';
import { SecretText } from '../../../../src/lib/secret-text.ts';
import {
  busyDelayMs,
  classify,
  decodeErrorBody,
  parseRetryAfter,
  type ResponseFacts,
  type ServiceOperation,
  throttledMs,
} from '../../../../src/operator/alert-client/classify.ts';

const codeOf = (operation: ServiceOperation, status: number, facts: Partial<ResponseFacts> = {}) => {
  const found = classify(operation, { status, hasErrorBody: true, isThrottled: status === 429, ...facts });
  return typeof found === 'string' ? found : found[0];
};

describe('a response', () => {
  test.each([
    { status: 199, list: 'service-protocol', patch: 'service-protocol' },
    { status: 200, list: 'succeeded', patch: 'unproven' },
    { status: 201, list: 'service-protocol', patch: 'unproven' },
    { status: 204, list: 'service-protocol', patch: 'succeeded' },
    { status: 299, list: 'service-protocol', patch: 'unproven' },
    { status: 300, list: 'service-protocol', patch: 'service-protocol' },
    { status: 399, list: 'service-protocol', patch: 'service-protocol' },
    { status: 400, list: 'service-rejected', patch: 'alert-refused' },
    { status: 401, list: 'service-denied', patch: 'service-denied' },
    { status: 403, list: 'scope-forbidden', patch: 'alert-refused' },
    { status: 404, list: 'scope-not-found', patch: 'alert-refused' },
    { status: 408, list: 'service-unreachable', patch: 'service-unreachable' },
    { status: 429, list: 'service-busy', patch: 'service-busy' },
    { status: 499, list: 'service-rejected', patch: 'alert-refused' },
    { status: 500, list: 'service-unreachable', patch: 'service-unreachable' },
    { status: 599, list: 'service-unreachable', patch: 'service-unreachable' },
    { status: 600, list: 'service-protocol', patch: 'service-protocol' },
  ])('of $status means $list for a LIST and $patch for a PATCH', ({ status, list, patch }) => {
    expect(codeOf('list', status)).toBe(list);
    expect(codeOf('patch', status)).toBe(patch);
  });

  test('of 503 that asks to wait is a busy service', () => {
    expect(codeOf('list', 503, { isThrottled: true })).toBe('service-busy');
  });

  test.each([400, 404, 410])('of %i without an error body does not come from the service', (status) => {
    expect(codeOf('list', status, { hasErrorBody: false })).toBe('service-protocol');
    expect(codeOf('patch', status, { hasErrorBody: false })).toBe('alert-refused');
  });
});

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
    { value: '', delayMs: undefined },
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

describe('an error body', () => {
  test('gives its code and its message', () => {
    const json = { error: { code: 'RoleNotFound', message: 'No role.\u001b[31m\nGo away' } };
    expect(decodeErrorBody(json)).toEqual({ code: 'RoleNotFound', message: 'No role. Go away' });
  });

  test.each(['two words', '', '9lives', 'x'.repeat(65), 'a\nb', 'ünïcode'])('has no code when it is %j', (code) => {
    expect(decodeErrorBody({ error: { code, message: 'm' } })).toEqual({ message: 'm' });
  });

  test.each([null, [], 'x', {}, { error: null }, { error: 'x' }, { error: { code: 1 } }, { error: [] }])(
    'is not %j',
    (json) => {
      expect(decodeErrorBody(json)).toBeUndefined();
    },
  );

  test('does not repeat the token of the request', () => {
    const secret = new SecretText('canary');
    const json = { error: { code: 'canary', message: 'canary canary' } };
    expect(decodeErrorBody(json, secret)).toEqual({ message: '[redacted] [redacted]' });
  });
});
