// How long the scopes of a connection wait after a 429. The rate limiter (alert-client/rate-limiter.ts) sends nothing
// during the pause; this module decides who may continue afterwards. All scopes wait for as long as the service asked.
// A scope that repeatedly gets 429 although others are served waits for the same time once more, which leaves at least
// half of the time to the others.

/** Times in monotonic milliseconds. */
export interface Pause {
  /** The end of the pause for all scopes. */
  readonly untilMs: number;
  /** The end of the pause for scopes that are throttled alone, whatever happens to their policies. */
  readonly aloneUntilMs: number;
}

export const noPause: Pause = { untilMs: -Infinity, aloneUntilMs: -Infinity };

/** The shortest pause, also when the service gives no time, in milliseconds. */
export const shortestPauseMs = 5000;

/**
 * `waitMs`: the time that the service asked for, or what is left of it for a request that the rate limiter rejected.
 * `isAlone`: the scope is throttled alone. Only such a scope extends `aloneUntilMs`; otherwise many 429s on all scopes
 * would delay it forever.
 */
export function nextPause(pause: Pause, nowMs: number, waitMs: number, isAlone: boolean): Pause {
  const untilMs = Math.max(pause.untilMs, nowMs + waitMs);
  return { untilMs, aloneUntilMs: isAlone ? untilMs + waitMs : pause.aloneUntilMs };
}
