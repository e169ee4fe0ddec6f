// When correction windows are open, and when they open next.
import { Cron } from 'croner';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { type WindowSet, windowState } from '../../../src/policy/correction-windows.ts';
import type { CorrectionWindow } from '../../../src/policy/generated/role-alert-policy.ts';

/** `Deny 0 8 * * 1-5 for 10h in Europe/Berlin`; the zone is UTC unless it is given. */
function windows(...texts: readonly string[]): CorrectionWindow[] {
  return texts.map((text) => {
    const [, kind = '', schedule = '', duration = '', timeZone = 'UTC'] =
      /^(Allow|Deny) (.+) for (\S+?)(?: in (.+))?$/.exec(text) ?? [];
    return { kind: kind as 'Allow', schedule, duration, timeZone };
  });
}

function stateAt(at: string, ...sets: readonly WindowSet[]): string {
  const state = windowState(sets, Date.parse(at));
  if (state.kind === 'Closed')
    return state.opensAtMs === undefined ? 'closed' : `until ${new Date(state.opensAtMs).toISOString().slice(5, 16)}`;
  return state.kind === 'Invalid' ? `${state.member} of ${state.set}/${state.window}` : state.kind.toLowerCase();
}

const workdays = 'Deny 0 8 * * 1-5 for 10h in Europe/Berlin';
const noon = '2026-06-01T12:00Z';
const sundays = 'Allow 0 2 * * SUN for 4h';

it.each([
  ['open without windows', noon, [], 'open'],
  ['closed within a Deny', noon, [workdays], 'until 06-01T16:00'],
  ['closed from the first millisecond of a Deny', '2026-06-01T06:00:00.000Z', [workdays], 'until 06-01T16:00'],
  ['open a millisecond earlier', '2026-06-01T05:59:59.999Z', [workdays], 'open'],
  ['closed until the last millisecond of a Deny', '2026-06-01T15:59:59.999Z', [workdays], 'until 06-01T16:00'],
  ['open at the end of a Deny', '2026-06-01T16:00:00.000Z', [workdays], 'open'],
  ['closed outside an Allow', noon, [sundays], 'until 06-07T02:00'],
  ['open within an Allow', '2026-06-07T05:59Z', [sundays], 'open'],
  ['closed until the first of several Allows', noon, [sundays, 'Allow 0 2 * * SAT for 1h'], 'until 06-06T02:00'],
  ['closed until an Allow without Deny', noon, [sundays, 'Deny 0 0 * * SUN for 3h'], 'until 06-07T03:00'],
  ['closed through Denies that follow each other', noon, ['Deny 0 0 * * 1-3 for 24h'], 'until 06-04T00:00'],
  ['closed in the longest Deny', noon, ['Deny 0 12 1 6 * for 168h'], 'until 06-08T12:00'],
  ['closed until an Allow within the year', noon, ['Allow 0 0 24 12 * for 48h'], 'until 12-24T00:00'],
  ['never open when the next Allow is years ahead', noon, ['Allow 0 0 29 2 * for 24h'], 'never'],
  ['never open when Denies cover every day', noon, ['Deny 0 0 * * * for 24h'], 'never'],
  ['never open when Denies cover each Allow', noon, [sundays, 'Deny 0 0 * * SUN for 12h'], 'never'],
  ['closed without a time when they change too often', noon, ['Deny */5 * 1-6 * * for 5m'], 'closed'],
])('correction windows are %s', (_, at, texts, expected) => {
  expect(stateAt(at, windows(...texts))).toBe(expected);
});

describe('two sets are', () => {
  const early = windows('Allow 0 8 * * * for 2h');
  const late = windows('Allow 0 9 * * * for 2h');

  it.each([
    ['open where both are', '2026-06-01T09:00Z', early, late, 'open'],
    ['closed where one is', '2026-06-01T08:59Z', early, late, 'until 06-01T09:00'],
    ['closed until both are open', '2026-06-01T10:00Z', early, late, 'until 06-02T09:00'],
    ['closed by the Deny of one', '2026-06-01T09:00Z', early, windows('Deny 0 9 * * * for 30m'), 'until 06-01T09:30'],
    ['never open when they never meet', '2026-06-01T09:00Z', early, windows('Allow 0 12 * * * for 2h'), 'never'],
    ['as the other when one is empty', '2026-06-01T07:00Z', [], early, 'until 06-01T08:00'],
  ])('%s', (_, at, first, second, expected) => {
    expect(stateAt(at, first, second)).toBe(expected);
    expect(stateAt(at, second, first)).toBe(expected);
  });
});

it.each([
  [
    'a window lasts as long as it says',
    '2026-03-29T00:30Z',
    ['Deny 0 1 * * * for 4h in Europe/Berlin'],
    'until 03-29T04:00',
  ],
  [
    'a Deny that the clock skips begins after the skip',
    '2026-03-29T01:00Z',
    ['Deny 30 2 * * * for 1h in Europe/Berlin'],
    'until 03-29T02:00',
  ],
  [
    'an Allow that the clock repeats opens once',
    '2026-10-25T01:45Z',
    ['Allow 30 2 * * * for 30m in Europe/Berlin'],
    'until 10-26T01:30',
  ],
  ['half an hour counts', '2026-10-03T15:00Z', ['Allow 0 3 * * * for 1h in Australia/Lord_Howe'], 'until 10-03T16:00'],
])('where the clock of the zone is changed, %s', (_, at, texts, expected) => {
  expect(stateAt(at, windows(...texts))).toBe(expected);
});

describe('a window that cannot be read closes all sets', () => {
  const at = '2026-06-07T12:00Z';

  it.each([
    ['its schedule', 'Deny 0 25 * * * for 1h', 'schedule of 1/1'],
    ['its time zone', 'Deny 0 8 * * * for 1h in Mars/Utopia', 'timeZone of 1/1'],
    ['its duration', 'Allow 0 8 * * * for 1d', 'duration of 1/1'],
    ['a duration of nothing', 'Allow 0 8 * * * for 0s', 'duration of 1/1'],
  ])('because of %s', (_, text, expected) => {
    expect(stateAt(at, [], windows(workdays, text))).toBe(expected);
  });
});

describe('the search for an opening', () => {
  afterEach(() => void vi.restoreAllMocks());

  const apart = [
    windows('Allow 0,20,40 * * * * for 5m', 'Allow 0,20,40 2 * * * for 5m'),
    windows('Allow 10,30,50 * * * * for 5m', 'Allow 10,30,50 2 * * * for 5m'),
  ];

  it('asks a schedule at most 64 times', () => {
    const asked = [vi.spyOn(Cron.prototype, 'nextRun'), vi.spyOn(Cron.prototype, 'previousRuns')];
    expect(stateAt(noon, ...apart)).toBe('closed');
    expect(asked[0]?.mock.calls.length).toBeGreaterThan(4);
    expect(asked.reduce((calls, { mock }) => calls + mock.calls.length, 0)).toBeLessThanOrEqual(64);
  });
});
