// When correction windows open and close within a time. Several sets must all be open, as in correction-windows.ts.
import { closedUntilMs, type Period, periodEndMs, readWindows, type WindowSet } from './correction-windows.ts';

export interface WindowChange {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** Whether the windows are open from then on. */
  readonly isOpen: boolean;
}

export interface WindowChanges {
  /** Whether the windows are open at the beginning. */
  readonly isOpen: boolean;
  /** In the order of time. */
  readonly changes: readonly WindowChange[];
  /** Up to when the changes are known, in milliseconds since 1970: earlier than asked when the windows change too often. */
  readonly knownUntilMs: number;
}

/** Steps that one search may take; each evaluates every window once, some 0.1 ms. */
const mostSteps = 2000;

/** From `fromMs` to `untilMs`, both in milliseconds since 1970. Undefined when a window cannot be read, which closes all of them. */
export function windowChanges(
  windows: readonly WindowSet[],
  fromMs: number,
  untilMs: number,
): WindowChanges | undefined {
  const read = readWindows(windows);
  if ('kind' in read) return undefined;
  const changes: WindowChange[] = [];
  const first = stateAt(read.sets, fromMs);
  let [atMs, state] = [fromMs, first];
  for (let steps = 0; steps < mostSteps; steps++) {
    atMs = state.lastsUntilMs;
    if (atMs > untilMs) return { isOpen: first.isOpen, changes, knownUntilMs: untilMs };
    const next = stateAt(read.sets, atMs);
    if (next.isOpen !== state.isOpen) changes.push({ atMs, isOpen: next.isOpen });
    state = next;
  }
  return { isOpen: first.isOpen, changes, knownUntilMs: atMs };
}

/** `lastsUntilMs`: up to when the state lasts, perhaps longer. */
interface State {
  readonly isOpen: boolean;
  readonly lastsUntilMs: number;
}

function stateAt(sets: readonly (readonly Period[])[], atMs: number): State {
  const closed = sets.flatMap((periods) => closedUntilMs(periods, atMs) ?? []);
  if (closed.length > 0) return { isOpen: false, lastsUntilMs: Math.max(...closed) };
  return { isOpen: true, lastsUntilMs: Math.min(...sets.map((periods) => openUntilMs(periods, atMs))) };
}

/** A time up to which an open set stays open, perhaps longer; `Infinity` without windows. */
function openUntilMs(periods: readonly Period[], atMs: number): number {
  const denials = periods.filter(({ isDeny }) => isDeny).map(({ cron }) => cron.next(atMs) ?? Infinity);
  const allows = periods.filter(({ isDeny }) => !isDeny).flatMap((period) => periodEndMs(period, atMs) ?? []);
  return Math.min(...denials, ...(allows.length === 0 ? [] : [Math.max(...allows)]), Infinity);
}
