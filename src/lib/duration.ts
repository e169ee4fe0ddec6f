// Durations: in Go's notation (`15m`, `1h30m`, `250ms`), as an age, and of an exponential back-off.

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const whole = /^(?:[0-9]+(?:\.[0-9]+)?(?:ms|s|m|h))+$/;
const part = /([0-9.]+)([a-z]+)/g;

/** Milliseconds, or `undefined` when `text` is not a duration that the CRDs accept. */
export function parseDuration(text: string): number | undefined {
  if (text.length > 64 || !whole.test(text)) return undefined;
  const parts = [...text.matchAll(part)];
  return Math.round(parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (units[unit] ?? 0), 0));
}

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

/** The exponential back-off: the delay after the `count`th failure in a row (from 1): `firstMs`, doubled by each further failure, up to `longestMs`. */
export function doublingMs(count: number, firstMs: number, longestMs: number): number {
  return Math.min(firstMs * 2 ** (count - 1), longestMs);
}
