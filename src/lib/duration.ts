// Durations in Go's notation: `15m`, `1h30m`, `250ms`.

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const whole = /^(?:[0-9]+(?:\.[0-9]+)?(?:ms|s|m|h))+$/;

/**
 * Milliseconds, or `undefined` when `text` is not a duration that the CRDs accept. A reconcile parses twenty of them, so it makes no
 * matches.
 */
export function parseDuration(text: string): number | undefined {
  if (text.length > 64 || !whole.test(text)) return undefined;
  let totalMs = 0;
  for (let start = 0; start < text.length;) {
    const unitStart = endOf(text, start, isAmount);
    const end = endOf(text, unitStart, isUnit);
    totalMs += Number(text.slice(start, unitStart)) * (units[text.slice(unitStart, end)] ?? 0);
    start = end;
  }
  return Math.round(totalMs);
}

/** The index of the first character from `start` on that is of another kind. */
function endOf(text: string, start: number, isOfKind: (character: string) => boolean): number {
  let end = start;
  while (end < text.length && isOfKind(text.charAt(end))) end++;
  return end;
}

/** In ASCII, digits and the point come before letters. */
const isAmount = (character: string) => character <= '9';
const isUnit = (character: string) => character > '9';

/** Formats a duration as Go does: `15m0s`, `1h30m0s`, `250ms`. */
export function formatDuration(durationMs: number): string {
  if (durationMs > 0 && durationMs < 1000) return `${durationMs}ms`;
  const hours = Math.floor(durationMs / 3_600_000);
  const minutes = Math.floor((durationMs % 3_600_000) / 60_000);
  const seconds = `${(durationMs % 60_000) / 1000}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}

/** As `formatDuration`, without parts that are zero at the end: `15m`, `1h30m`, `24h`. */
export function formatShortDuration(durationMs: number): string {
  return formatDuration(durationMs)
    .replace(/(?<=[hm])0s$/, '')
    .replace(/(?<=h)0m$/, '');
}

/** The largest unit only, as kubectl shows an age: `5d`, `3h`, `12m`, `40s`. Negative ages, of clocks that differ, are `0s`. */
export function formatAge(ageMs: number): string {
  const seconds = Math.max(0, Math.floor(ageMs / 1000));
  if (seconds >= 86_400) return `${Math.floor(seconds / 86_400)}d`;
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)}h`;
  return seconds >= 60 ? `${Math.floor(seconds / 60)}m` : `${seconds}s`;
}
