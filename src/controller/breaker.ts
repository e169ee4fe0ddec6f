// The states of a circuit breaker, and what each of them permits. Pure.
import type { ReconcileFailure } from '../plan/failures.ts';

export type Breaker = ClosedBreaker | OpenBreaker | HalfOpenBreaker;

export interface FailureCounts {
  /** Consecutive requests that did not reach the service, lists and PATCHes. */
  readonly unreached: number;
  /** The scopes of those requests, at most `openThreshold`. */
  readonly failing: ReadonlySet<string>;
}

/** Closed: every scope may be listed. */
export interface ClosedBreaker extends FailureCounts {
  readonly state: 'Closed';
  /**
   * The suspect: the scope on which the service refused the credential, while no other scope has confirmed or disproved
   * it.
   */
  readonly refused: string | undefined;
  /** True once an attempt on another scope said nothing about the credential. */
  readonly isTriedInVain: boolean;
}

interface Tripped extends FailureCounts {
  /** The failure of every scope except the one on trial. */
  readonly failure: ReconcileFailure;
  /** From this time on a trial starts even with the refused credential; monotonic milliseconds. */
  readonly slowTrialAtMs: number;
  /** Trials that the service refused since the circuit breaker opened. */
  readonly refusals: number;
}

/** Open: only an edit may list a scope. */
export interface OpenBreaker extends Tripped {
  readonly state: 'Open';
  readonly halfOpenScope: undefined;
}

/** HalfOpen: one more scope may be listed, as a trial. */
interface HalfOpenBreaker extends Tripped {
  readonly state: 'HalfOpen';
  readonly halfOpenScope: string;
}

/** The result of an attempt. `failure` is undefined after a complete list. */
export interface AttemptObservation {
  readonly scope: string;
  readonly failure: ReconcileFailure | undefined;
  /** True when the scope failed the same way before and the service has served another scope since. */
  readonly isAlone: boolean;
  /** Number of the connection's scopes that do not fail alone. */
  readonly scopes: number;
  readonly nowMs: number;
  /** The delay before an unchanged refused credential is tried again. */
  readonly slowTrialMs: number;
}

/**
 * Consecutive requests that did not reach the service before the circuit breaker opens, and the number of scopes that
 * they must concern unless there are fewer.
 */
export const openThreshold = 5;

export const noCounts: FailureCounts = { unreached: 0, failing: new Set() };

export const closedBreaker: ClosedBreaker = { state: 'Closed', ...noCounts, refused: undefined, isTriedInVain: false };

export type BreakerEvent =
  /** A list or a reconcile ended. */
  | { readonly kind: 'AttemptEnded'; readonly observation: AttemptObservation }
  | { readonly kind: 'PatchAnswered' }
  /** It does not open the circuit breaker by itself: the list that verifies the PATCH says more. */
  | { readonly kind: 'PatchUnreached'; readonly scope: string }
  /** A trial of one scope begins. */
  | { readonly kind: 'TrialBegun'; readonly scope: string }
  /** The scope no longer needs to be listed, so it is no longer the suspect. */
  | { readonly kind: 'ScopeLeft'; readonly scope: string }
  /** The spec of the connection changed, which resets the circuit breaker. */
  | { readonly kind: 'ConnectionChanged' };

/** True when a list has to show that the service responds before anything more is sent. */
export function thresholdReached({ unreached }: Breaker): boolean {
  return unreached >= openThreshold;
}

/** True while no other scope has confirmed or disproved the suspect's refusal. */
export function isUndecided(breaker: Breaker): boolean {
  return breaker.state === 'Closed' && breaker.refused !== undefined;
}

/** True while trials are needed. */
export function needsTrial(breaker: Breaker): boolean {
  return breaker.state !== 'Closed' || isUndecided(breaker);
}

/** True while the connection is not used because the service does not respond. */
export function isCircuitOpen(breaker: Breaker): breaker is OpenBreaker | HalfOpenBreaker {
  return breaker.state !== 'Closed' && breaker.failure.connection === 'CircuitOpen';
}

/** True while the connection is not used because the service refused its credential. */
export function isCredentialRefused(breaker: Breaker): breaker is OpenBreaker | HalfOpenBreaker {
  return breaker.state !== 'Closed' && breaker.failure.connection === 'Unauthorized';
}

/** The number of refusals when a refusal opens the circuit breaker or keeps it open. */
export function refusalsOf(breaker: Breaker): number {
  return isCredentialRefused(breaker) ? breaker.refusals + 1 : 0;
}
