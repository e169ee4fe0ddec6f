// Which deactivations count for the limit of an hour.
import { expect, test } from 'vitest';

import { endOfDeactivationMs, recentDeactivations } from '../../../src/plan/recent-deactivations.ts';
import { at, nowMs } from '../../support/builders/objects.ts';

const hourMs = 3_600_000;

test('those of the last hour count, the oldest first, and those of a clock that is ahead by less than an hour', () => {
  const times = [at(-1000), at(-hourMs), at(1 - hourMs), at(hourMs - 1), at(hourMs), 'never'];
  expect(recentDeactivations(times, nowMs)).toEqual([nowMs + 1 - hourMs, nowMs - 1000, nowMs + hourMs - 1]);
});

test('each counts for one hour', () => {
  expect(endOfDeactivationMs(nowMs)).toBe(nowMs + hourMs);
});
