// How long the scopes of a connection wait after the service answered 429. The rate limiter (alert-client/rate-limiter.ts) sees to it that
// nothing is sent meanwhile; here is decided whose turn it is afterwards. Everybody waits as long as the service asked for. A scope that is
// answered 429 again and again although others are served waits as long once more, so that at least half of the time is theirs.

/** Monotonic milliseconds. */
export interface Pause {
  /** Nothing is sent before. */
  readonly untilMs: number;
  /** No scope that is throttled alone is tried before, whatever happens to its policies. */
  readonly aloneUntilMs: number;
}

export const noPause: Pause = { untilMs: -Infinity, aloneUntilMs: -Infinity };

/** Where the service named no time. */
export const shortestPauseMs = 5000;

/**
 * `waitMs`: what the service asked for, or what is left of it for a request that the rate limiter did not let out. `isAlone`: a scope met
 * it that is throttled alone. Only such a one delays the others of its kind, or many 429s on all scopes would keep it waiting for ever.
 */
export function nextPause(pause: Pause, nowMs: number, waitMs: number, isAlone: boolean): Pause {
  const untilMs = Math.max(pause.untilMs, nowMs + waitMs);
  return { untilMs, aloneUntilMs: isAlone ? untilMs + waitMs : pause.aloneUntilMs };
}
