// The meaning of each error code for a scope: the table "Errors" of src/README.md, row by row; and how often a failure that lasts is logged.
import { describe, expect, it } from 'vitest';

import { AlertsError, type AlertsErrorCode } from '../../../../src/alerts/alerts-error.ts';
import {
  connectionStreakAfter,
  extended,
  failureOf,
  isLogged,
  levelOf,
  noStreak,
  throttled,
} from '../../../../src/operator/decide/failures.ts';
import { failureDelayMs, policyIntervalMs, slowDelayMs } from '../../../../src/operator/decide/schedule.ts';
import { type ErrorCode, errorCodes, errorOf } from '../../../support/builders/errors.ts';
import { connection, minuteMs, policy } from '../../../support/builders/objects.ts';

const rows: readonly [AlertsErrorCode, string][] = [
  ['service-rejected', 'stalled ScopeRejected, Connected, after-interval'],
  ['scope-not-found', 'stalled ScopeNotFound, Connected, after-interval'],
  ['scope-forbidden', 'stalled ScopeForbidden, Connected, forbidden'],
  ['alert-refused', 'retrying CorrectionFailed, Connected, after-interval'],
  ['service-denied', 'retrying ConnectionNotReady, Unauthorized, credential'],
  ['service-busy', 'throttled Stale, Throttled, retry-after'],
  ['service-unreachable', 'retrying ServiceUnreachable, Unreachable, backoff'],
  ['service-protocol', 'retrying ProtocolError, Connected, backoff'],
  ['credential-missing', 'retrying ConnectionNotReady, SecretNotFound, credential'],
  ['credential-not-allowed', 'retrying ConnectionNotReady, SecretNotAllowed, credential'],
  ['token-endpoint-failed', 'retrying ConnectionNotReady, TokenEndpointFailed, credential'],
  ['tls-failed', 'retrying ConnectionNotReady, TLSFailed, credential'],
  ['endpoint-invalid', 'retrying ConnectionNotReady, InvalidEndpoint, credential'],
];

it('a scope that waits for the end of a pause reports the same as a throttled one', () => {
  expect(throttled).toEqual(failureOf(new AlertsError('service-busy', 'x')));
});

const internal = 'retrying InternalError, Connected, backoff';
const meaning = (code: ErrorCode, facts = {}) => {
  const { kind, reason, connection: health, pace } = failureOf(errorOf(code, 'x', facts));
  return `${kind} ${reason}, ${health}, ${pace}`;
};

describe('a failure of the service', () => {
  it.each(rows)('%s', (code, expected) => {
    expect(meaning(code)).toBe(expected);
  });

  it.each(errorCodes.filter((code) => rows.every(([known]) => known !== code)))(
    '%s proves nothing about the service',
    (code) => {
      expect(meaning(code)).toBe(internal);
    },
  );

  it.each(['ListTooLarge', 'UnsafeNextLink'])('of a list that is %s is reported as such', (reason) => {
    expect(meaning('service-protocol', { reason })).toBe(`retrying ${reason}, Connected, backoff`);
    expect(meaning('service-protocol', { reason: 'Other' })).toBe('retrying ProtocolError, Connected, backoff');
  });

  it.each([
    ['credential-missing', 'SecretInvalid'],
    ['endpoint-invalid', 'CABundleNotFound'],
    ['credential-missing', 'ServiceAccountNotFound'],
    ['credential-not-allowed', 'ServiceAccountNotAllowed'],
    ['credential-not-allowed', 'AudienceNotAllowed'],
    ['credential-not-allowed', 'TokenRequestFailed'],
    ['token-endpoint-failed', 'TokenRequestFailed'],
    ['endpoint-invalid', 'HostNotAllowed'],
  ] as const)('%s has the reason %s of its cause', (code, reason) => {
    expect(meaning(code, { reason })).toBe(`retrying ConnectionNotReady, ${reason}, credential`);
  });
});

it('only what the service or the way to it is the cause of is held against it', () => {
  const ofService = errorCodes.filter((code) => errorOf(code, 'x') instanceof AlertsError);
  expect(ofService).toEqual(rows.map(([code]) => code));
});

describe('the delay', () => {
  const delay = (pace: Parameters<typeof failureDelayMs>[0], failures: number, retryAfterMs?: number) =>
    failureDelayMs(pace, { intervalMs: 15 * minuteMs, failures, retryAfterMs });

  it('of a busy service is what it asked for, and five seconds at least', () => {
    expect([delay('retry-after', 1), delay('retry-after', 1, 4999), delay('retry-after', 1, 5001)]).toEqual([
      5000, 5000, 5001,
    ]);
  });

  it('doubles after each failure in a row, to five minutes; after a refusal from two minutes on', () => {
    expect([1, 2, 3, 8, 9, 10, 18, 5000].map((failures) => delay('backoff', failures) / 1000)).toEqual([
      1, 2, 4, 128, 256, 300, 300, 300,
    ]);
    expect([1, 2, 5, 6, 5000].map((failures) => delay('forbidden', failures) / minuteMs)).toEqual([2, 4, 32, 60, 60]);
  });

  it('of a credential is half a minute, and of what others can mend alone a slow one', () => {
    expect([delay('credential', 9), delay('after-interval', 9)]).toEqual([30_000, 60 * minuteMs]);
  });

  it('of what only others can mend is four intervals, an hour at most, but an interval at least', () => {
    expect([minuteMs, 15 * minuteMs, 20 * minuteMs, 90 * minuteMs].map(slowDelayMs)).toEqual([
      4 * minuteMs,
      60 * minuteMs,
      60 * minuteMs,
      90 * minuteMs,
    ]);
  });
});

describe('the interval', () => {
  const limits = (minInterval: string) => connection({ limits: { ...connection().spec.limits, minInterval } });
  it.each([
    ['5m', '1m', 5 * minuteMs],
    ['30s', '1m', minuteMs],
    [undefined, '1m', 7 * minuteMs],
    ['nonsense', '10m', 10 * minuteMs],
    ['5m', 'nonsense', 5 * minuteMs],
  ])('of a policy that says %s through a connection with at least %s', (interval, least, expected) => {
    const object = policy({ spec: { ...(interval !== undefined && { interval }) } });
    expect(policyIntervalMs(object, limits(least), 7 * minuteMs)).toBe(expected);
  });
});

const missing = failureOf(errorOf('credential-missing', 'any', {}));
const forbidden = failureOf(errorOf('scope-forbidden', 'any', {}));

it('the first, second, fourth and eighth in a row are logged', () => {
  expect(Array.from({ length: 10 }, (_, index) => index + 1).filter(isLogged)).toEqual([1, 2, 4, 8]);
});

it('another cause begins a new streak', () => {
  const streak = extended(extended(noStreak, 'a'), 'a');
  expect([streak.count, extended(streak, 'b').count]).toEqual([2, 1]);
});

it('a list and a failure of one scope end the streak of the connection', () => {
  const streak = connectionStreakAfter(noStreak, missing);
  expect(streak).toEqual({ cause: 'SecretNotFound', count: 1 });
  expect([undefined, forbidden].map((failure) => connectionStreakAfter(streak, failure))).toEqual([noStreak, noStreak]);
});

it('what fails on every scope of a connection is repeated from its second scope on', () => {
  const first = { cause: 'any', count: 1 };
  const levelAfter = (count: number, failure = missing) =>
    levelOf({ connectionStreak: { cause: 'SecretNotFound', count } }, first, failure);
  expect([0, 1, 2, 3, 4].map((count) => levelAfter(count))).toEqual(['warn', 'warn', 'debug', 'warn', 'debug']);
  expect(levelAfter(2, forbidden)).toBe('warn');
  expect(levelOf({ connectionStreak: noStreak }, { cause: 'any', count: 3 }, forbidden)).toBe('debug');
});
