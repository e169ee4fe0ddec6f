// How long an alert that is deactivated again and again waits to be activated again.
import { describe, expect, it } from 'vitest';

import {
  type Correction,
  mayActivateAgainAtMs,
  nextActivationBackoffs,
} from '../../../../src/operator/decide/writes.ts';
import { minuteMs, nowMs } from '../../../support/builders/objects.ts';

const intervalMs = 15 * minuteMs;
const seen = (change: Partial<Correction> = {}): Correction => ({
  alert: 'Owners',
  isActive: true,
  cause: 'Declared',
  policyKey: undefined,
  actor: 'User',
  seenAtMs: nowMs,
  ...change,
});

it('waits a second, then twice as long each time, up to the interval', () => {
  const waits = [1, 2, 3, 10, 11, 50, 5000].map(
    (count) => (mayActivateAgainAtMs({ count, lastMs: nowMs }, intervalMs, nowMs) - nowMs) / 1000,
  );
  expect(waits).toEqual([1, 2, 4, 512, 900, 900, 900]);
});

it('waits for nothing when the clock stepped back', () => {
  expect(mayActivateAgainAtMs({ count: 9, lastMs: nowMs + 1 }, intervalMs, nowMs)).toBe(nowMs);
  expect(mayActivateAgainAtMs({ count: 1, lastMs: nowMs }, intervalMs, nowMs)).toBe(nowMs + 1000);
});

describe('the count', () => {
  const after = (corrections: readonly Correction[], lastMs = nowMs - minuteMs) =>
    nextActivationBackoffs(new Map([['owners', { count: 2, lastMs }]]), corrections, intervalMs, nowMs);

  it('rises with each correction of drift, however the alert is spelled, and begins at one', () => {
    expect(after([seen(), seen({ alert: 'Guests', cause: 'Unlisted' })])).toEqual(
      new Map([
        ['owners', { count: 3, lastMs: nowMs }],
        ['guests', { count: 1, lastMs: nowMs }],
      ]),
    );
  });

  it.each([
    ['a deactivation', seen({ isActive: false, cause: 'DismissalHolds' })],
    ['the end of a dismissal', seen({ cause: 'DismissalExpired' })],
    ['new incidents', seen({ cause: 'NewIncidents' })],
    ['a declaration that is gone', seen({ cause: 'DeclarationGone' })],
    ['a deactivation, whatever its cause', seen({ isActive: false })],
  ])('does not rise with %s', (_, correction) => {
    expect(after([correction])).toEqual(new Map([['owners', { count: 2, lastMs: nowMs - minuteMs }]]));
  });

  it('ends when the alert stayed on for more than two intervals, before or after now', () => {
    expect([-2 * intervalMs, 2 * intervalMs].map((offset) => after([], nowMs + offset).size)).toEqual([1, 1]);
    expect([-2 * intervalMs - 1, 2 * intervalMs + 1].map((offset) => after([], nowMs + offset).size)).toEqual([0, 0]);
  });
});
