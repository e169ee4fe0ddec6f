// A write over time: sent and not verified, checked after 1, 2, 4, 8 … s, given up after two minutes, repeated an interval
// later; refused and unanswered ones; a wall clock that steps; and how long an alert that others keep deactivating waits.
import { describe, expect, it } from 'vitest';

import {
  type Correction,
  mayActivateAgainAtMs,
  nextActivationBackoffs,
  nextWriteCheckMs,
  type PendingWrite,
  verifyWrites,
  type WriteFailure,
  writeState,
} from '../../../../src/operator/decide/writes.ts';
import { alert, alertName, intervalMs, minuteMs, nowMs, pendingWrite } from '../../../support/builders/objects.ts';

const key = alertName.toLowerCase();
const windowMs = 2 * minuteMs;
const sentNow = (change: Partial<PendingWrite> = {}) => pendingWrite({ sentAtMs: nowMs, ...change });
const failing = (kind: WriteFailure['kind'], retryInMs: number) =>
  sentNow({ failure: { kind, serviceCode: undefined, retryAtMs: nowMs + retryInMs } });

it('is checked 1, 3, 7, 15, 31 and 63 s after it was sent, at the end of its window, and when it may be repeated', () => {
  const checks: number[] = [];
  for (let atMs = nowMs; checks.length < 8; checks.push(atMs - nowMs))
    atMs = nextWriteCheckMs(sentNow(), intervalMs, atMs);
  const seconds = checks.map((checkMs) => checkMs / 1000);
  expect(seconds).toEqual([1, 3, 7, 15, 31, 63, 120, 120 + 15 * 60]);
});

it('is not checked every second after the clock stepped back: it may be repeated at once', () => {
  expect(nextWriteCheckMs(sentNow(), intervalMs, nowMs - minuteMs) - nowMs).toBe(windowMs + intervalMs);
});

it.each([
  ['right after it was sent', sentNow(), 0, 'Verifying'],
  ['at the last millisecond of its window', sentNow(), windowMs - 1, 'Verifying'],
  ['at the end of its window', sentNow(), windowMs, 'NotVerified'],
  ['an interval after its window', sentNow(), windowMs + intervalMs, 'MayRepeat'],
  ['of the second try, from the start', sentNow({ tries: 2 }), 0, 'NotVerified'],
  ['of a refused one', failing('Refused', 1000), 999, 'Failed'],
  ['of a refused one whose time has come', failing('Refused', 1000), 1000, 'MayRepeat'],
  ['sent in a future that the clock stepped back from', sentNow(), -1, 'MayRepeat'],
  ['refused in a future that the clock stepped back from', failing('Refused', 1000), -1, 'MayRepeat'],
] as const)('the state of a write %s', (_, sent, ageMs, expected) => {
  expect(writeState(sent, intervalMs, nowMs + ageMs)).toBe(expected);
});

describe('a list', () => {
  const on = alert({ isActive: true });
  const off = alert({ isActive: false });
  const after = (write: PendingWrite, alerts: (typeof on)[], ageMs = 0) =>
    verifyWrites(new Map([[key, write]]), alerts, intervalMs, nowMs + ageMs);

  it.each([
    ['that shows the flag proves the write', sentNow(), [on], 1, 0],
    ['that shows the old flag leaves it open', sentNow(), [off], 0, 1],
    ['that does not hold the alert ends it unproven', sentNow(), [], 0, 0],
    [
      'that shows the flag of an unanswered write proves it: only the response was lost',
      failing('Unreachable', 9),
      [on],
      1,
      0,
    ],
    ['that shows the flag of a refused write proves nothing: another client set it', failing('Refused', 9), [on], 0, 0],
    ['that shows the flag of a write that was never written proves nothing', failing('NotWritten', 9), [on], 0, 0],
    ['that shows the old flag after a refusal leaves it open', failing('Refused', 9), [off], 0, 1],
  ] as const)('%s', (_, write, alerts, proven, left) => {
    const { corrections, open } = after(write, [...alerts]);
    expect([corrections.length, open.size]).toEqual([proven, left]);
  });

  it('spelled in another case proves it too, and the correction has the spelling of the service', () => {
    const { corrections } = after(sentNow({ cause: 'NewIncidents' }), [alert({ name: alertName.toUpperCase() })]);
    expect(corrections).toEqual([
      {
        alert: alertName.toUpperCase(),
        isActive: true,
        cause: 'NewIncidents',
        policyKey: 'team/owners',
        actor: 'Unknown',
        seenAtMs: nowMs,
      },
    ]);
  });

  it.each([
    ['a write', sentNow(), 2 * (windowMs + intervalMs)],
    ['a refused write', failing('Refused', 60_000), 60_000 + 2 * (windowMs + intervalMs)],
  ])('two rounds later %s that is not repeated is forgotten', (_, write, ageMs) => {
    expect(after(write, [off], ageMs).open.size).toBe(1);
    expect(after(write, [off], ageMs + 1).open.size).toBe(0);
  });

  it.each([
    ['a write', sentNow()],
    ['a refused write', failing('Refused', 60_000)],
  ])(
    'that disagrees forgets %s from a future that the clock stepped back from by more than two minutes',
    (_, write) => {
      expect(after(write, [off], -windowMs).open.size).toBe(1);
      expect(after(write, [off], -windowMs - 1).open.size).toBe(0);
    },
  );
});

const seen = (change: Partial<Correction> = {}): Correction => ({
  alert: 'Owners',
  isActive: true,
  cause: 'Declared',
  policyKey: undefined,
  actor: 'User',
  seenAtMs: nowMs,
  ...change,
});

it('an alert that is deactivated again waits a second, then twice as long each time, up to the interval', () => {
  const waits = [1, 2, 3, 10, 11, 50, 5000].map(
    (count) => (mayActivateAgainAtMs({ count, lastMs: nowMs }, intervalMs, nowMs) - nowMs) / 1000,
  );
  expect(waits).toEqual([1, 2, 4, 512, 900, 900, 900]);
});

it('an alert that is deactivated again waits for nothing when the clock stepped back', () => {
  expect(mayActivateAgainAtMs({ count: 9, lastMs: nowMs + 1 }, intervalMs, nowMs)).toBe(nowMs);
  expect(mayActivateAgainAtMs({ count: 1, lastMs: nowMs }, intervalMs, nowMs)).toBe(nowMs + 1000);
});

describe('the count of corrections', () => {
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
