// How a connection shares its burst (`limits.burst`): what a start has at once, and what resyncs leave for users' edits.

/** A LIST, a PATCH and its verifying LIST. */
const requestsOfOneEdit = 3;

/** Requests that a start has at once: half of the burst, because the previous process may have spent all of it just before. */
export function burstAtStart(burst: number): number {
  return Math.ceil(burst / 2);
}

/** Requests that resyncs leave for users' edits: a quarter of the burst, and at least the requests of one edit if the burst allows it. */
export function burstForEdits(burst: number): number {
  return Math.max(Math.floor(burst / 4), Math.min(requestsOfOneEdit, burst - 1));
}
