// How long a count of deactivations is remembered, and what lets one through meanwhile.
import { expect, it } from 'vitest';

import { dampedUntilMs, type DampingMemory } from '../../../src/plan/damping.ts';
import { alertName, at, minuteMs, nowMs, policy } from '../../support/builders/objects.ts';

const hourMs = 60 * minuteMs;
const memory = (startMs: number, request = '1 '): DampingMemory =>
  new Map([[`uid-owners ${alertName.toLowerCase()}`, { windowStart: at(startMs), count: 3, request }]]);
const decidedOnce = (window: string) =>
  policy({
    spec: { damping: { maxDeactivations: 3, window } },
    status: { observedGeneration: 1 },
  });

it.each([
  ['the window of the policy', '1h', hourMs],
  ['six hours where the window cannot be read', 'soon', 6 * hourMs],
])('an alert is held for %s', (_, window, expected) => {
  const until = (startMs: number) => dampedUntilMs(decidedOnce(window), alertName, memory(startMs), nowMs);
  expect(until(0)).toBe(nowMs + expected);
  expect(until(-expected + 1000)).toBe(nowMs + 1000);
  expect(until(-expected)).toBeUndefined();
});

it('a policy that has no status yet is asked for: one deactivation goes through, and no more', () => {
  const { status: _, ...fresh } = decidedOnce('6h');
  expect(dampedUntilMs(fresh, alertName, memory(0, '0 '), nowMs)).toBeUndefined();
  expect(dampedUntilMs(fresh, alertName, memory(0), nowMs)).toBe(nowMs + 6 * hourMs);
});
