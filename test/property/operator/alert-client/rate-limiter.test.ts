import fc from 'fast-check';
import { expect, test } from 'vitest';

import { isCoded } from '../../../../src/lib/errors.ts';
import type { Priority } from '../../../../src/operator/alert-client/alert-client.ts';
import { RateLimiter } from '../../../../src/operator/alert-client/rate-limiter.ts';
import { ManualClock, settlePromises } from '../../../support/rigs/manual-clock.ts';

const hourMs = 3_600_000;

interface Grant {
  readonly atMs: number;
  readonly requests: number;
  readonly priority: Priority;
  readonly index: number;
}

type Step =
  | { readonly kind: 'take'; readonly requests: number; readonly priority: Priority }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'abort'; readonly index: number }
  | { readonly kind: 'pause'; readonly ms: number };

const priority = fc.constantFrom<Priority>('high', 'low');
const step = (largest: number): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('take' as const),
        requests: fc.integer({ min: 1, max: largest }),
        priority,
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.oneof(fc.nat(10_000), fc.nat(hourMs)) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('abort' as const), index: fc.nat(50) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('pause' as const), ms: fc.nat(hourMs) }) },
  );

const plays = fc
  .record({ requestsPerHour: fc.integer({ min: 1, max: 7200 }), burst: fc.integer({ min: 1, max: 30 }) })
  .chain((limits) =>
    fc.record({
      limits: fc.constant(limits),
      initialTokens: fc.integer({ min: 0, max: limits.burst }),
      steps: fc.array(step(limits.burst * 2), { maxLength: 60, size: 'max' }),
    }),
  );

/** Plays the steps, then advances the clock until every waiter has settled. */
async function play({ limits, initialTokens, steps }: typeof plays extends fc.Arbitrary<infer Play> ? Play : never) {
  const clock = new ManualClock();
  const rateLimiter = new RateLimiter({ clock, ...limits, initialTokens });
  const grants: Grant[] = [];
  const refusals: string[] = [];
  const lives: AbortController[] = [];
  let grantsInsidePause = 0;
  for (const step of steps) {
    if (step.kind === 'wait') await clock.advance(step.ms);
    if (step.kind === 'abort') lives[step.index]?.abort();
    if (step.kind === 'pause') rateLimiter.throttleFor(step.ms);
    if (step.kind === 'take') {
      const life = new AbortController();
      const index = lives.push(life) - 1;
      rateLimiter.acquire(step.requests, { priority: step.priority, signal: life.signal }).then(
        (requests) => {
          if (isThrottled(rateLimiter)) grantsInsidePause += 1;
          grants.push({ atMs: clock.monotonic(), requests, priority: step.priority, index });
        },
        (error: unknown) => refusals.push(isCoded(error) ? error.code : 'other'),
      );
    }
    await settlePromises();
  }
  await clock.advance(hourMs);
  const wanted = steps.reduce((sum, step) => sum + (step.kind === 'take' ? 2 * step.requests : 0), limits.burst);
  await clock.advance((wanted * hourMs) / limits.requestsPerHour + hourMs);
  return { grants, refusals, asked: lives.length, grantsInsidePause, pendingTimers: clock.pendingTimers };
}

test('no hour ever sees more than requestsPerHour and the burst together', async () => {
  await fc.assert(
    fc.asyncProperty(plays, async (input) => {
      const { grants } = await play(input);
      const allowed = input.limits.requestsPerHour + input.limits.burst + 1e-3;
      for (const { atMs } of grants) {
        const inThisHour = grants.filter((grant) => grant.atMs >= atMs && grant.atMs <= atMs + hourMs);
        expect(inThisHour.reduce((sum, grant) => sum + grant.requests, 0)).toBeLessThanOrEqual(allowed);
      }
    }),
    { numRuns: 300 },
  );
});

test('every waiter is granted or rejected, none is granted during a pause, and no timer remains', async () => {
  await fc.assert(
    fc.asyncProperty(plays, async (input) => {
      const { grants, refusals, asked, grantsInsidePause, pendingTimers } = await play(input);
      expect(grants.length + refusals.length).toBe(asked);
      expect(refusals.filter((code) => code !== 'stopped' && code !== 'service-busy')).toEqual([]);
      expect({ grantsInsidePause, pendingTimers }).toEqual({ grantsInsidePause: 0, pendingTimers: 0 });
    }),
    { numRuns: 300 },
  );
});

test('within a priority it is first come, first served', async () => {
  await fc.assert(
    fc.asyncProperty(plays, async (input) => {
      const { grants } = await play(input);
      for (const priority of ['high', 'low']) {
        const order = grants.filter((grant) => grant.priority === priority).map(({ index }) => index);
        expect(order).toEqual(order.toSorted((left, right) => left - right));
      }
    }),
    { numRuns: 100 },
  );
});

function isThrottled(rateLimiter: RateLimiter): boolean {
  try {
    rateLimiter.throwIfThrottled();
    return false;
  } catch {
    return true;
  }
}
