// Whether the rate limit of a connection suffices for its policies, and how long a start takes until it has listed every
// scope. The status of a connection and the table of deploy/reference/sizing.md show the results of the same functions.
import { formatShortDuration } from '../lib/duration.ts';
import { burstAtStart, burstForEdits } from '../policy/burst.ts';
import type { ConnectionLimits } from '../policy/generated/role-alert-connection.ts';
import type { ConditionDraft } from './conditions.ts';

/** The scopes of a connection that are listed at one interval. */
export interface Load {
  readonly intervalMs: number;
  /** Requests that list each of these scopes once. */
  readonly requests: number;
}

export type RequestLimits = Pick<ConnectionLimits, 'requestsPerHour' | 'burst'>;

const hourMs = 3_600_000;
/** The longest interval that the schemas accept, and the longest that is recommended; seconds. */
const longestIntervalSeconds = 86_400;

/** Requests per hour while nothing drifts, rounded up. */
export function predictedRequestsPerHour(loads: readonly Load[]): number {
  return Math.ceil(requestsPerHourAt(loads, 0));
}

/** Requests that list every scope once. */
export function requestsOfRound(loads: readonly Load[]): number {
  return loads.reduce((sum, { requests }) => sum + requests, 0);
}

/** Requests of corrections, beyond the lists that find the drift: for each a PATCH, and the pages of the list that verifies it. */
export function requestsOfCorrections(corrections: number, pages: number): number {
  return corrections * (1 + pages);
}

/**
 * The shortest `limits.minInterval`, in milliseconds, with which the limit suffices: whole seconds up to a minute, whole
 * minutes above. Undefined if 24 hours do not suffice.
 */
export function fittingIntervalMs(loads: readonly Load[], requestsPerHour: number): number | undefined {
  const fits = (seconds: number) => requestsPerHourAt(loads, seconds * 1000) <= requestsPerHour;
  if (!fits(longestIntervalSeconds)) return undefined;
  let [tooShort, fitting] = [0, longestIntervalSeconds];
  while (fitting - tooShort > 1) {
    const middle = Math.floor((tooShort + fitting) / 2);
    if (fits(middle)) fitting = middle;
    else tooShort = middle;
  }
  return (fitting > 60 ? Math.ceil(fitting / 60) * 60 : fitting) * 1000;
}

/** How many further scopes fit that are listed at that interval with that number of requests. */
export function furtherScopes(loads: readonly Load[], { intervalMs, requests }: Load, requestsPerHour: number): number {
  const fits = (scopes: number) =>
    requestsPerHourAt([...loads, { intervalMs, requests: scopes * requests }], 0) <= requestsPerHour;
  const left = requestsPerHour - requestsPerHourAt(loads, 0);
  let count = Math.max(Math.floor((left * intervalMs) / hourMs / requests), 0);
  // The division may be wrong by one.
  while (fits(count + 1)) count += 1;
  while (count > 0 && !fits(count)) count -= 1;
  return count;
}

/**
 * Milliseconds until a start has sent `requests` lists at low priority. The rate limiter paces them; the time that the
 * service takes to respond, and the requests of edits and corrections, come on top.
 */
export function firstRoundMs(requests: number, { requestsPerHour, burst }: RequestLimits): number {
  // A bucket of this size is full: the last request needs no more in it.
  const level = Math.min(1 + burstForEdits(burst), burst);
  const missing = requests - 1 + level - burstAtStart(burst);
  return requests === 0 ? 0 : Math.max((missing * hourMs) / requestsPerHour, 0);
}

/** `firstRoundMs` as a duration, rounded up: whole seconds up to a minute, whole minutes above. */
export function firstRoundText(requests: number, limit: RequestLimits): string {
  const seconds = Math.ceil(firstRoundMs(requests, limit) / 1000);
  return formatShortDuration((seconds > 60 ? Math.ceil(seconds / 60) * 60 : seconds) * 1000);
}

/** The condition `Capacity`. It compares the rate limit with what the policies need; it says nothing about the service. */
export function capacityDraft(loads: readonly Load[], limits: RequestLimits): ConditionDraft {
  const draft = comparisonDraft(predictedRequestsPerHour(loads), limits);
  if (draft.status === 'True') return draft;
  const fittingMs = fittingIntervalMs(loads, limits.requestsPerHour);
  const fittingInterval = fittingMs === undefined ? 'none' : formatShortDuration(fittingMs);
  return { ...draft, facts: { ...draft.facts, fittingInterval } };
}

/** The same without the loads, so it names no interval that fits. */
export function comparisonDraft(needed: number, { requestsPerHour: allowed }: RequestLimits): ConditionDraft {
  return needed <= allowed
    ? { status: 'True', reason: 'BudgetSufficient', facts: { needed, allowed } }
    : { status: 'False', reason: 'BudgetTooSmall', facts: { needed, allowed } };
}

/** Requests per hour if no interval is shorter than `minIntervalMs`. */
function requestsPerHourAt(loads: readonly Load[], minIntervalMs: number): number {
  return loads.reduce(
    (sum, { intervalMs, requests }) => sum + (requests * hourMs) / Math.max(intervalMs, minIntervalMs),
    0,
  );
}
