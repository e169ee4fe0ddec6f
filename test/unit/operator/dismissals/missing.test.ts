// When an alert that no list shows any more counts as gone permanently: three attempts an hour apart, over at least a day.
import { describe, expect, test } from 'vitest';

import { isGoneForGood, type Missing, nextMissing } from '../../../../src/operator/dismissals/ledger.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const start = '2026-01-01T00:00:00Z';

/** What is known after attempts at these times since the start, and whether the alert is gone permanently by then. */
function after(attemptsMs: readonly number[], since?: string): { missing: Missing | undefined; isGone: boolean } {
  const clock = new ManualClock();
  let missing: Missing | undefined;
  for (const atMs of attemptsMs) {
    clock.jump(atMs - clock.monotonic());
    missing = nextMissing(missing, since, clock);
  }
  return { missing, isGone: missing !== undefined && isGoneForGood(missing, clock.now()) };
}

describe('an alert is gone permanently', () => {
  test.each<[string, readonly number[], string | undefined, boolean]>([
    ['after three attempts over a day', [0, hourMs, dayMs], start, true],
    ['not a moment before the day is over', [0, hourMs, dayMs - 1], start, false],
    ['not after two attempts, however long ago the first was', [0, 10 * dayMs], start, false],
    ['after a restart only with three attempts of its own', [9 * dayMs, 9 * dayMs + hourMs], start, false],
    [
      'after a restart with three of them, by the day that the entry says',
      [dayMs, dayMs + hourMs, dayMs + 2 * hourMs],
      start,
      true,
    ],
    ['not by attempts that come closer than an hour', [0, dayMs, dayMs + hourMs - 1], start, false],
    ['by attempts exactly an hour apart', [dayMs - hourMs, dayMs, dayMs + hourMs], start, true],
  ])('%s', (_, attemptsMs, since, isGone) => {
    expect(after(attemptsMs, since).isGone).toBe(isGone);
  });
});

describe('the day begins', () => {
  test.each<[string, string | undefined, string]>([
    ['at the first attempt where the entry says nothing', undefined, '2026-01-01T02:00:00Z'],
    ['when the entry says', '2025-12-25T00:00:00Z', '2025-12-25T00:00:00Z'],
    ['when the entry says, be it this moment', '2026-01-01T02:00:00.000Z', '2026-01-01T02:00:00.000Z'],
    ['at the first attempt where the entry names a time ahead', '2026-01-01T02:00:01Z', '2026-01-01T02:00:00Z'],
    ['at the first attempt where the entry is unreadable', 'yesterday', '2026-01-01T02:00:00Z'],
  ])('%s', (_, since, begins) => {
    expect(after([2 * hourMs], since).missing).toEqual({ since: begins, attempts: 1, lastMs: 2 * hourMs });
  });
});

test('an attempt that comes too soon changes nothing', () => {
  const { missing } = after([0]);
  expect(after([0, hourMs - 1], start).missing).toEqual(missing);
  expect(after([0, hourMs], start).missing).toEqual({ since: start, attempts: 2, lastMs: hourMs });
});
