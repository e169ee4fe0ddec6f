// Correction windows against a second reading of their schedules, which compares the clock minute by minute.
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { windowState } from '../../../src/policy/correction-windows.ts';
import type { CorrectionWindow } from '../../../src/policy/generated/role-alert-policy.ts';
import { isOpenAt } from '../../support/checks/correction-windows.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A field with numbers from `least` to `most`: mostly `*` for days, so that hours decide. */
function field(least: number, most: number, names: readonly string[] = []): fc.Arbitrary<string> {
  const value = fc.integer({ min: least, max: most });
  const text = (number: number) => names[number] ?? String(number);
  const range = fc.tuple(value, value).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  const step = fc.integer({ min: 1, max: Math.max(1, most - least) });
  const part = fc.oneof(
    value.map(text),
    range.map(([from, to]) => `${text(from)}-${text(to)}`),
    fc.tuple(range, step).map(([[from, to], by]) => `${from}-${to}/${by}`),
    step.map((by) => `*/${by}`),
  );
  return fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(','));
}

const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const months = ['', 'JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const any = fc.constant('*');
const anySchedule = fc
  .tuple(
    field(0, 59),
    fc.oneof(any, field(0, 23)),
    fc.oneof(
      { weight: 4, arbitrary: any },
      { weight: 1, arbitrary: fc.constantFrom('L', '1,L', '1', '15,30') },
      field(1, 28),
    ),
    fc.oneof({ weight: 5, arbitrary: any }, field(1, 12, months)),
    fc
      .oneof({ weight: 2, arbitrary: any }, field(0, 6, weekdays), field(0, 7))
      .map((text) => text.replaceAll('SUN-SUN', 'SUN')),
  )
  .map((fields) => fields.join(' '));

const anyWindow: fc.Arbitrary<CorrectionWindow> = fc.record({
  kind: fc.constantFrom('Allow', 'Deny'),
  schedule: anySchedule,
  duration: fc.constantFrom('5m', '1h30m', '8h', '30h'),
  // Their clocks never change.
  timeZone: fc.constantFrom('UTC', 'Asia/Kolkata', 'Asia/Kathmandu', 'America/Phoenix', 'Pacific/Kiritimati'),
});
const anySet = fc.array(anyWindow, { maxLength: 3 });

/** To the second, often at the beginning or the end of a minute; milliseconds since 1970. */
const anyTime = fc
  .tuple(fc.integer({ min: 0, max: 3 * 365 * 24 * 60 }), fc.constantFrom(0, 1, 30_000, minuteMs - 1))
  .map(([minutes, ms]) => Date.UTC(2026, 0, 1) + minutes * minuteMs + ms);

it('correction windows are open exactly when the clock and their schedules have it', () => {
  const seen = { open: 0, closed: 0 };
  fc.assert(
    fc.property(anySet, anySet, anyTime, (ofPolicy, ofConnection, timeMs) => {
      const isOpen = isOpenAt(ofPolicy, timeMs) && isOpenAt(ofConnection, timeMs);
      seen[isOpen ? 'open' : 'closed']++;
      expect(windowState([ofPolicy, ofConnection], timeMs).kind === 'Open').toBe(isOpen);
    }),
    { numRuns: 160 },
  );
  expect(Math.min(seen.open, seen.closed)).toBeGreaterThan(10);
});

it('the opening that closed windows announce is their first', () => {
  fc.assert(
    fc.property(anySet, anyTime, fc.nat(1_000_000), (windows, timeMs, part) => {
      const state = windowState([windows], timeMs);
      const opensAtMs = state.kind === 'Closed' ? state.opensAtMs : undefined;
      const lastMs = opensAtMs ?? timeMs + 14 * 24 * hourMs;
      const before = timeMs + Math.floor(((lastMs - 1 - timeMs) * part) / 1_000_000);
      const isClosed = state.kind !== 'Open' && (state.kind === 'Never' || opensAtMs !== undefined);
      const opened = [isClosed && isOpenAt(windows, before), isClosed && isOpenAt(windows, lastMs - 1)];
      expect({ opened, isOpen: opensAtMs === undefined || isOpenAt(windows, opensAtMs) }).toEqual({
        opened: [false, false],
        isOpen: true,
      });
    }),
    { numRuns: 100 },
  );
});
