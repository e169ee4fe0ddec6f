// Whether a rate limit suffices, and how long a first round takes.
import { describe, expect, test } from 'vitest';

import { RateLimiter } from '../../../src/alert-client/rate-limiter.ts';
import {
  capacityDraft,
  firstRoundMs,
  firstRoundText,
  fittingIntervalMs,
  furtherScopes,
  type Load,
  predictedRequestsPerHour,
  requestsOfCorrections,
  requestsOfRound,
} from '../../../src/plan/capacity.ts';
import { conditionMessage } from '../../../src/plan/reasons.ts';
import { burstAtStart } from '../../../src/policy/burst.ts';
import { ManualClock, settlePromises } from '../../support/rigs/manual-clock.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const load = (minutes: number, requests: number): Load => ({ intervalMs: minutes * minuteMs, requests });
const limit = (requestsPerHour: number, burst = 20) => ({ requestsPerHour, burst });

describe('the requests of a connection', () => {
  test('are those of each interval together, rounded up', () => {
    expect(predictedRequestsPerHour([load(15, 500)])).toBe(2000);
    expect(predictedRequestsPerHour([load(15, 500), load(60, 100)])).toBe(2100);
    expect(predictedRequestsPerHour([load(7, 1)])).toBe(9);
    expect(predictedRequestsPerHour([])).toBe(0);
  });

  test('of one round have no interval', () => {
    expect(requestsOfRound([load(15, 500), load(60, 100)])).toBe(600);
  });

  test('for a correction are the PATCH and the pages of the list that verifies it', () => {
    expect([requestsOfCorrections(10, 1), requestsOfCorrections(10, 3)]).toEqual([20, 40]);
  });
});

describe('the interval that fits', () => {
  test.each<[string, readonly Load[], number, number | undefined]>([
    ['spreads the requests over whole minutes', [load(15, 2000)], 7200, 17 * minuteMs],
    ['is exact where the minute is', [load(1, 60)], 60, 60 * minuteMs],
    ['below a minute has whole seconds', [load(0.1, 10)], 1000, 36_000],
    ['leaves longer intervals as they are', [load(1, 10), load(60, 10)], 310, 2 * minuteMs],
    ['raises as many of them as necessary', [load(1, 10), load(10, 10)], 60, 20 * minuteMs],
    ['is at most a day', [load(15, 24)], 1, 24 * hourMs],
    ['is none where a day does not suffice', [load(15, 25)], 1, undefined],
  ])('%s', (_what, loads, requestsPerHour, expected) => {
    expect(fittingIntervalMs(loads, requestsPerHour)).toBe(expected);
  });
});

describe('the estimate of a first round', () => {
  test.each([
    [500, limit(7200, 100), 237_000 + 500],
    [1, limit(60, 20), 0],
    [1, limit(60, 2), minuteMs],
    [0, limit(1, 2), 0],
  ])('of %i requests', (requests, rate, expected) => {
    expect(firstRoundMs(requests, rate)).toBeCloseTo(expected, 6);
  });

  /** When the rate limiter grants the last of as many resyncs. */
  async function grantedMs(requests: number, rate: ReturnType<typeof limit>): Promise<number> {
    const clock = new ManualClock();
    const startMs = clock.monotonic();
    const rateLimiter = new RateLimiter({ clock, ...rate, initialTokens: burstAtStart(rate.burst) });
    const { signal } = new AbortController();
    let lastMs = startMs;
    for (let index = 0; index < requests; index++) {
      const granted = rateLimiter.acquire(1, { priority: 'low', signal });
      void granted.then(() => (lastMs = clock.monotonic()));
    }
    await settlePromises();
    await clock.advance(10 * hourMs);
    return lastMs - startMs;
  }

  test.each([
    [limit(3600, 20), 40],
    [limit(7200, 100), 200],
    [limit(240, 4), 9],
    [limit(60, 2), 3],
    [limit(3600, 3), 1],
  ])('is the time that the rate limiter takes: %o, %i requests', async (rate, requests) => {
    const difference = (await grantedMs(requests, rate)) - firstRoundMs(requests, rate);
    expect(Math.abs(difference)).toBeLessThanOrEqual(requests);
  });

  test('is a duration, rounded up to seconds or minutes', () => {
    expect(firstRoundText(500, limit(7200, 100))).toBe('4m');
    expect(firstRoundText(100, limit(7200, 100))).toBe('38s');
    expect(firstRoundText(10_000, limit(7200, 100))).toBe('1h24m');
  });
});

describe('the condition Capacity', () => {
  test('is True as long as the rate limit suffices', () => {
    const facts = { needed: 2000, allowed: 2000 };
    expect(capacityDraft([load(15, 500)], limit(2000))).toEqual({ status: 'True', reason: 'BudgetSufficient', facts });
  });

  test('names what is needed and allowed, and both ways out', () => {
    const { status, reason, facts } = capacityDraft([load(15, 501)], limit(2000));
    expect([status, conditionMessage('BudgetTooSmall', { ...facts, connection: 'team/prod' })]).toEqual([
      'False',
      'Connection team/prod: its policies need 2004 requests an hour while nothing drifts, and limits.requestsPerHour allows 2000, so scopes are listed too late. Raise limits.requestsPerHour to 2004 or more, or limits.minInterval to 16m.',
    ]);
    expect(reason).toBe('BudgetTooSmall');
  });

  test('offers no interval where none fits', () => {
    const { facts } = capacityDraft([load(15, 25)], limit(1));
    expect(conditionMessage('BudgetTooSmall', facts)).toContain('to 100 or more; no interval up to 24h suffices.');
  });
});

describe('further scopes', () => {
  test('fit until the limit is used up', () => {
    expect(furtherScopes([], load(15, 1), 3600)).toBe(900);
    expect(furtherScopes([load(15, 100), load(60, 100)], load(15, 2), 3600)).toBe(387);
    expect(furtherScopes([load(15, 900)], load(15, 1), 3600)).toBe(0);
    expect(furtherScopes([load(15, 5000)], load(15, 1), 3600)).toBe(0);
  });

  test.each([1, 7, 11, 13, 49, 97])('fit exactly with an interval of %i minutes', (minutes) => {
    const count = furtherScopes([load(7, 3)], load(minutes, 1), 3600);
    const needed = (more: number) => predictedRequestsPerHour([load(7, 3), load(minutes, count + more)]);
    expect([needed(0) <= 3600, needed(1) <= 3600]).toEqual([true, false]);
  });
});
