// When correction windows open and close within a time.
import { describe, expect, it } from 'vitest';

import type { CorrectionWindow } from '../../../src/policy/generated/role-alert-policy.ts';
import { windowChanges } from '../../../src/policy/window-changes.ts';

const window = (kind: 'Allow' | 'Deny', schedule: string, duration: string, timeZone = 'UTC'): CorrectionWindow => ({
  kind,
  schedule,
  duration,
  timeZone,
});

function changes(sets: readonly (readonly CorrectionWindow[])[], from: string, until: string): string | undefined {
  const found = windowChanges(sets, Date.parse(from), Date.parse(until));
  if (!found) return undefined;
  const words = found.changes.map(
    ({ atMs, isOpen }) => `${isOpen ? 'open' : 'closed'} ${new Date(atMs).toISOString().slice(5, 16)}`,
  );
  return [found.isOpen ? 'open' : 'closed', ...words].join(', ');
}

const nights = window('Allow', '0 2 * * *', '1h', 'Europe/Berlin');

describe('the changes of correction windows', () => {
  it.each([
    ['without windows are none', [], '2026-06-01T00:00Z', '2027-06-01T00:00Z', 'open'],
    [
      'are the beginnings and ends of an Allow',
      [window('Allow', '0 2 * * SUN', '4h')],
      '2026-06-06T00:00Z',
      '2026-06-15T00:00Z',
      'closed, open 06-07T02:00, closed 06-07T06:00, open 06-14T02:00, closed 06-14T06:00',
    ],
    [
      'are none where one Allow begins when the other ends',
      [window('Allow', '0 2 * * *', '4h'), window('Allow', '0 6 * * *', '1h')],
      '2026-06-06T03:00Z',
      '2026-06-06T12:00Z',
      'open, closed 06-06T07:00',
    ],
    [
      'include the moments at which the time begins and ends',
      [window('Deny', '0 8 * * *', '2h')],
      '2026-06-06T08:00Z',
      '2026-06-06T10:00Z',
      'closed, open 06-06T10:00',
    ],
    [
      'follow the clock of the zone when summer time ends: a repeated hour counts once',
      [nights],
      '2026-10-24T00:00Z',
      '2026-10-26T12:00Z',
      'open, closed 10-24T01:00, open 10-25T00:00, closed 10-25T01:00, open 10-26T01:00, closed 10-26T02:00',
    ],
    [
      'follow the clock of the zone when summer time begins: a skipped hour counts at its end',
      [nights],
      '2027-03-27T00:00Z',
      '2027-03-29T12:00Z',
      'closed, open 03-27T01:00, closed 03-27T02:00, open 03-28T01:00, closed 03-28T02:00, open 03-29T00:00, closed 03-29T01:00',
    ],
  ])('%s', (_, windows, from, until, expected) => {
    expect(changes([windows], from, until)).toBe(expected);
  });

  it('of several sets are those of the times at which all are open', () => {
    const sets = [[window('Allow', '0 2 * * *', '4h')], [window('Deny', '0 0 * * *', '3h')]];
    expect(changes(sets, '2026-06-06T00:00Z', '2026-06-06T12:00Z')).toBe(
      'closed, open 06-06T03:00, closed 06-06T06:00',
    );
  });

  it('are undefined for a window that cannot be read', () => {
    expect(changes([[window('Allow', '0 0 31 2 *', '1h')]], '2026-06-06T00:00Z', '2026-06-07T00:00Z')).toBeUndefined();
  });

  it('end early, and say when, if the windows change more often than the search has steps', () => {
    const found = windowChanges([[window('Allow', '*/10 * * * *', '5m')]], 0, 366 * 24 * 3_600_000);
    expect(found?.changes).toHaveLength(2000);
    expect(found?.knownUntilMs).toBe(found?.changes.at(-1)?.atMs);
  });
});
