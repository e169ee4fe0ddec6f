// The ledger in memory: what enters, what is restored, what a list settles, and which lists prove nothing yet.
import { describe, expect, it, test } from 'vitest';

import { isGoneForGood, Ledger, type Missing, nextMissing } from '../../../../src/operator/dismissals/ledger.ts';
import type { DismissalRecord } from '../../../../src/policy/generated/role-alert-connection.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const minuteMs = 60_000;
const record = { scope: 'a', alert: 'Owners', policy: 'team/owners', since: '2025-12-31T00:00:00Z' };
const other = { ...record, alert: 'Guests' };
const elsewhere = { ...record, scope: 'b' };
const nothing = { resolvedDismissals: [], missing: [], declared: new Map() };

function ledgerWith(...records: DismissalRecord[]) {
  const clock = new ManualClock();
  const ledger = new Ledger(clock);
  ledger.load(records);
  return { clock, ledger };
}

describe('the ledger', () => {
  it('holds one entry of an alert of a scope, however it is spelled', () => {
    const { ledger } = ledgerWith(record, other, elsewhere);
    ledger.takeOver({ ...record, alert: 'OWNERS' });
    expect([ledger.size, [...ledger.scopes()], ledger.recordsOf('b')]).toEqual([3, ['a', 'b'], [elsewhere]]);
  });

  it('is what a status says after it was taken over, and nothing else', () => {
    const { ledger } = ledgerWith(record);
    ledger.load([other]);
    expect(ledger.records()).toEqual([other]);
  });

  it('has the present time in an entry, and gives back what was there before', () => {
    const { ledger } = ledgerWith(record);
    const undo = ledger.recordDismissal({ scope: 'a', alert: 'Owners', policy: 'team/other' });
    expect(ledger.records()).toEqual([{ ...record, policy: 'team/other', since: '2026-01-01T00:00:00Z' }]);
    undo();
    expect(ledger.records()).toEqual([record]);
    ledger.recordDismissal(other)();
    expect(ledger.records()).toEqual([record]);
  });

  it('knows how many bytes its entries have in a status', () => {
    const { ledger } = ledgerWith(record, other);
    const bytesOf = (...records: object[]) => Buffer.byteLength(JSON.stringify(records)) - 1;
    expect(ledger.bytes).toBe(bytesOf(record, other));
    ledger.takeOver({ ...record, reason: 'über alles' });
    expect(ledger.bytes).toBe(bytesOf({ ...record, reason: 'über alles' }, other));
    ledger.update('a', { ...nothing, resolvedDismissals: [other] });
    ledger.load([elsewhere]);
    expect(ledger.bytes).toBe(bytesOf(elsewhere));
  });
});

describe('a list', () => {
  it('ends the entries that it settles, and leaves other scopes alone', () => {
    const { ledger } = ledgerWith(record, other, elsewhere);
    expect(ledger.update('a', { ...nothing, resolvedDismissals: [record, elsewhere] })).toEqual({
      hasChanged: true,
      dropped: [],
    });
    expect(ledger.records()).toEqual([other, elsewhere]);
  });

  it('shows the dismissal that keeps an alert inactive now, and nothing of the one before', () => {
    const before = { ...record, until: '2026-02-01T00:00:00Z', incidents: 2, reason: 'accepted until February' };
    const { ledger } = ledgerWith(before, other);
    const declaration = { policy: 'team/new', until: '2026-03-01T00:00:00Z', maxIncidents: 3, reason: 'accepted' };
    expect(ledger.update('a', { ...nothing, declared: new Map([[before, declaration]]) }).hasChanged).toBe(true);
    expect(ledger.records()).toEqual([{ ...record, ...declaration }, other]);
    expect(ledger.update('a', nothing).hasChanged).toBe(false);
  });

  it('says since when an alert is missing, once, and forgets it when the alert is back', () => {
    const { ledger, clock } = ledgerWith(record, other);
    expect(ledger.update('a', { ...nothing, missing: [record] })).toEqual({ hasChanged: true, dropped: [] });
    const [missing] = ledger.records();
    expect(missing).toEqual({ ...record, missingSince: '2026-01-01T00:00:00Z' });
    clock.jump(minuteMs);
    expect(ledger.update('a', { ...nothing, missing: [missing!] }).hasChanged).toBe(false);
    expect(ledger.update('a', nothing).hasChanged).toBe(true);
    expect(ledger.records()).toEqual([record, other]);
  });

  it('says nothing about an entry that was entered again since', () => {
    const { ledger } = ledgerWith(record);
    ledger.recordDismissal(record);
    ledger.update('a', { ...nothing, resolvedDismissals: [record] });
    expect(ledger.size).toBe(1);
  });
});

it('a list proves nothing of what was entered less than two minutes before it was begun', () => {
  const { ledger, clock } = ledgerWith();
  ledger.recordDismissal(record);
  ledger.recordDismissal(elsewhere);
  const enteredMs = clock.monotonic();
  const unproven = (afterMs: number) => [...ledger.unprovenBy('a', enteredMs + afterMs)];
  expect([unproven(-1), unproven(2 * minuteMs - 1), unproven(2 * minuteMs)]).toEqual([['owners'], ['owners'], []]);
});

describe('an activation that the service accepted', () => {
  const provenAfter = (before: readonly ('sent' | 'accepted')[]) => {
    const { ledger, clock } = ledgerWith();
    for (const each of before) {
      ledger.recordDismissal(record);
      if (each === 'accepted') ledger.patchAccepted(record, false);
    }
    ledger.patchAccepted(record, true);
    return [...ledger.unprovenBy('a', clock.monotonic())].length === 0;
  };

  it.each([
    ['every deactivation before it was accepted', ['accepted', 'accepted'], true],
    ['one has no response so far', ['sent'], false],
    ['an earlier one had none', ['sent', 'accepted'], false],
  ] as const)('lets a list prove the alert at once, unless a deactivation is in doubt: %s', (_, before, isProven) => {
    expect(provenAfter(before)).toBe(isProven);
  });

  it('proves nothing for two minutes of an entry that another process made, whose clock may be wrong', () => {
    const { ledger, clock } = ledgerWith(record);
    ledger.patchAccepted(record, true);
    const unproven = (afterMs: number) => [...ledger.unprovenBy('a', clock.monotonic() + afterMs)];
    expect([unproven(2 * minuteMs - 1), unproven(2 * minuteMs)]).toEqual([['owners'], []]);
  });
});

// When an alert that no list shows any more counts as gone permanently: three attempts an hour apart, over at least a day.

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
