// Whether correction windows are open at a given time, and when they open next. Several sets, of a policy and of its
// connection, must all be open. A set without windows is open; one with Allow is open within any of them, and Deny
// beats Allow.
import { type CronSchedule, parseCron } from '../lib/cron.ts';
import { parseDuration } from '../lib/duration.ts';
import type { CorrectionWindow } from './generated/role-alert-policy.ts';

export type WindowSet = readonly CorrectionWindow[];

/**
 * `Closed`: `opensAtMs`, in milliseconds since 1970, is undefined when the windows change too often to find it. `Never`: not within
 * a year; of windows that change too often, not within two weeks. `Invalid`: a member that cannot be read, with the indexes of its
 * set and window; it closes all sets, which is the safe side.
 */
export type WindowState =
  | { readonly kind: 'Open' }
  | { readonly kind: 'Closed'; readonly opensAtMs: number | undefined }
  | { readonly kind: 'Never' }
  | { readonly kind: 'Invalid'; readonly set: number; readonly window: number; readonly member: WindowMember };

export type WindowMember = 'schedule' | 'duration' | 'timeZone';

interface Period {
  readonly isDeny: boolean;
  readonly cron: CronSchedule;
  readonly durationMs: number;
}

const dayMs = 24 * 3_600_000;
const longestAheadMs = 366 * dayMs;
const leastAheadMs = 14 * dayMs;
/** Periods that one search may evaluate; each takes some 0.1 ms. A plan may search for a thousand policies. */
const longestSearch = 64;

export function windowState(sets: readonly WindowSet[], nowMs: number): WindowState {
  const read = readWindows(sets);
  return 'kind' in read ? read : opening(read.sets, nowMs);
}

type InvalidWindow = Extract<WindowState, { kind: 'Invalid' }>;

/** The periods of each set, or the first member that cannot be read. */
function readWindows(sets: readonly WindowSet[]): { readonly sets: readonly (readonly Period[])[] } | InvalidWindow {
  const read = sets.map((windows) => windows.map(readOnce));
  return invalidOf(read) ?? { sets: read.map((periods) => periods.filter((period) => typeof period !== 'string')) };
}

/** Objects in the caches never change, so an edited window is another object. */
const known = new WeakMap<CorrectionWindow, Period | WindowMember>();

function readOnce(window: CorrectionWindow): Period | WindowMember {
  const read = known.get(window) ?? periodOf(window);
  known.set(window, read);
  return read;
}

/** The first member that cannot be read, instead of a period. */
function periodOf({ kind, schedule, duration, timeZone }: CorrectionWindow): Period | WindowMember {
  const cron = parseCron(schedule, timeZone);
  if (typeof cron === 'string') return cron;
  const durationMs = parseDuration(duration);
  return durationMs ? { isDeny: kind === 'Deny', cron, durationMs } : 'duration';
}

function invalidOf(read: readonly (readonly (Period | WindowMember)[])[]): InvalidWindow | undefined {
  for (const [set, periods] of read.entries()) {
    for (const [window, member] of periods.entries()) {
      if (typeof member === 'string') return { kind: 'Invalid', set, window, member };
    }
  }
  return undefined;
}

function opening(sets: readonly (readonly Period[])[], nowMs: number): WindowState {
  let atMs = nowMs;
  for (let searched = 0; searched < longestSearch; searched += sets.flat().length) {
    const closed = sets.flatMap((periods) => closedUntilMs(periods, atMs) ?? []);
    if (closed.length === 0) return atMs === nowMs ? { kind: 'Open' } : { kind: 'Closed', opensAtMs: atMs };
    atMs = Math.max(...closed);
    if (atMs - nowMs > longestAheadMs) return { kind: 'Never' };
  }
  return atMs - nowMs > leastAheadMs ? { kind: 'Never' } : { kind: 'Closed', opensAtMs: undefined };
}

/** A time up to which the set is closed, perhaps longer; undefined when it is open at `atMs`. */
function closedUntilMs(periods: readonly Period[], atMs: number): number | undefined {
  const denials = periods.filter(({ isDeny }) => isDeny).flatMap((period) => periodEndMs(period, atMs) ?? []);
  if (denials.length > 0) return Math.max(...denials);
  const allows = periods.filter(({ isDeny }) => !isDeny);
  if (allows.length === 0 || allows.some((period) => periodEndMs(period, atMs) !== undefined)) return undefined;
  return Math.min(...allows.map(({ cron }) => cron.next(atMs) ?? Infinity));
}

/** When the latest period ends that has begun by `atMs`; undefined when it is over. */
function periodEndMs({ cron, durationMs }: Period, atMs: number): number | undefined {
  const beginMs = cron.latest(atMs);
  return beginMs !== undefined && beginMs + durationMs > atMs ? beginMs + durationMs : undefined;
}
