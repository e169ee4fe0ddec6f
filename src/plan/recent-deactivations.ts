// Which deactivations of a connection count for `limits.deactivationsPerHour`.

const hourMs = 3_600_000;

/**
 * The times of a status that still count, in milliseconds since 1970, the oldest first. A time in the future comes from a
 * wrong clock; it counts as well, unless it is an hour off.
 */
export function recentDeactivations(times: readonly string[], nowMs: number): readonly number[] {
  return times
    .map((time) => Date.parse(time))
    .filter((ms) => Math.abs(nowMs - ms) < hourMs)
    .sort((a, b) => a - b);
}

/** When a deactivation of that time stops counting, on the same clock. */
export function endOfDeactivationMs(ms: number): number {
  return ms + hourMs;
}
