// The circuit breaker of one connection: a state, and the step function for the end of each attempt. It opens at once
// when the address or the credential cannot be used; when the service refuses the credential on two scopes in a row, on
// the only scope, or on one scope again after another gave no answer about it; and after five attempts in a row that
// did not reach the service, on five scopes or on all if there are fewer. A scope that fails alone does not count.
// Pure: connection-health.ts starts trials and acts on transitions.
import { type Ending, endingOf, type ReconcileFailure } from '../plan/failures.ts';
import type { ConnectionReason } from '../plan/reasons.ts';

export type Breaker = Closed | Open | HalfOpen;

interface Counts {
  /** Consecutive requests that did not reach the service, lists and PATCHes. */
  readonly unreached: number;
  /** The scopes of those requests, at most `openThreshold`. */
  readonly failing: ReadonlySet<string>;
}

/** Closed: every scope may be listed. */
interface Closed extends Counts {
  readonly state: 'Closed';
  /**
   * The suspect: the scope on which the service refused the credential, while no other scope has confirmed or disproved
   * it.
   */
  readonly refused: string | undefined;
  /** True once an attempt on another scope said nothing about the credential. */
  readonly isTriedInVain: boolean;
}

interface Tripped extends Counts {
  /** The failure of every scope except the one on trial. */
  readonly failure: ReconcileFailure;
  /** From this time on a trial starts even with the refused credential; monotonic milliseconds. */
  readonly slowTrialAtMs: number;
  /** Trials that the service refused since the circuit breaker opened. */
  readonly refusals: number;
}

/** Open: only an edit may list a scope. */
interface Open extends Tripped {
  readonly state: 'Open';
  readonly halfOpenScope: undefined;
}

/** HalfOpen: one more scope may be listed, as a trial. */
interface HalfOpen extends Tripped {
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
const openThreshold = 5;

const noCounts: Counts = { unreached: 0, failing: new Set() };

export const closedBreaker: Closed = { state: 'Closed', ...noCounts, refused: undefined, isTriedInVain: false };

const steps: Record<Ending, (breaker: Breaker, observation: AttemptObservation, failure: ReconcileFailure) => Breaker> =
  {
    listed: () => closedBreaker,
    answered: () => closedBreaker,
    garbled: afterOtherAnswer,
    busy: afterOtherAnswer,
    refused: afterRefusal,
    unusable: (breaker, observation, failure) => openFor(breaker, failure, observation),
    unreached: afterUnreached,
  };

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

/** The only transition function. */
export function stepBreaker(breaker: Breaker, event: BreakerEvent): Breaker {
  switch (event.kind) {
    case 'AttemptEnded':
      return afterAttempt(breaker, event.observation);
    case 'PatchAnswered':
      return breaker.state === 'Closed' ? { ...breaker, ...noCounts } : breaker;
    case 'PatchUnreached':
      return breaker.state === 'Closed' ? { ...breaker, ...counted(breaker, event.scope) } : breaker;
    case 'TrialBegun':
      return breaker.state === 'Closed' ? breaker : { ...breaker, state: 'HalfOpen', halfOpenScope: event.scope };
    case 'ScopeLeft':
      return withoutSuspect(breaker, event.scope);
    case 'ConnectionChanged':
      return closedBreaker;
  }
}

function afterAttempt(breaker: Breaker, observation: AttemptObservation): Breaker {
  const { failure } = observation;
  return failure ? steps[endingOf(failure)](breaker, observation, failure) : closedBreaker;
}

/** The response may come from a component that does not check the credential. */
function afterOtherAnswer(breaker: Breaker, { scope }: AttemptObservation): Breaker {
  if (breaker.state === 'Closed') return { ...triedInVain(breaker, scope), ...noCounts };
  return isCredentialRefused(breaker) ? breaker : closedBreaker;
}

function afterRefusal(breaker: Breaker, observation: AttemptObservation, failure: ReconcileFailure): Breaker {
  const { scope, scopes, isAlone, nowMs } = observation;
  if (isCredentialRefused(breaker)) {
    const isNews = breaker.halfOpenScope === scope || nowMs >= breaker.slowTrialAtMs;
    return isNews ? openFor(breaker, failure, observation) : breaker;
  }
  const { refused: suspect, isTriedInVain } = breaker.state === 'Closed' ? breaker : closedBreaker;
  if (isAlone) return { ...closedBreaker, refused: suspect, isTriedInVain };
  // If no other scope is served, the second refusal of the suspect counts, so that it is not retried forever.
  const isConfirmed = scopes <= 1 || (suspect !== undefined && (suspect !== scope || isTriedInVain));
  return isConfirmed ? openFor(breaker, failure, observation) : { ...closedBreaker, refused: scope };
}

/** Notes that an attempt on another scope said nothing about the credential. */
function triedInVain(breaker: Closed, scope: string): Closed {
  const isOther = breaker.refused !== undefined && breaker.refused !== scope;
  return isOther ? { ...breaker, isTriedInVain: true } : breaker;
}

function afterUnreached(breaker: Breaker, observation: AttemptObservation, failure: ReconcileFailure): Breaker {
  const { scope, isAlone, scopes, nowMs } = observation;
  // While the circuit is open only the trial counts: attempts that were in flight, and those of edits, add nothing.
  if (isCircuitOpen(breaker))
    return breaker.halfOpenScope === scope ? openCircuit(failure, counted(breaker, scope), nowMs) : breaker;
  const tried = breaker.state === 'Closed' ? triedInVain(breaker, scope) : breaker;
  if (isAlone) return tried;
  const next = { ...tried, ...counted(breaker, scope) };
  const opens = next.unreached >= openThreshold && next.failing.size >= Math.min(openThreshold, scopes);
  return opens ? openCircuit(failure, next, nowMs) : next;
}

/** True when a list has to show that the service responds before anything more is sent. */
export function thresholdReached({ unreached }: Breaker): boolean {
  return unreached >= openThreshold;
}

/** True while no other scope has confirmed or disproved the suspect's refusal. */
export function isUndecided(breaker: Breaker): boolean {
  return breaker.state === 'Closed' && breaker.refused !== undefined;
}

function withoutSuspect(breaker: Breaker, scope: string): Breaker {
  return breaker.state === 'Closed' && breaker.refused === scope
    ? { ...breaker, refused: undefined, isTriedInVain: false }
    : breaker;
}

/** True while trials are needed. */
export function needsTrial(breaker: Breaker): boolean {
  return breaker.state !== 'Closed' || isUndecided(breaker);
}

export function isCircuitOpen(breaker: Breaker): breaker is Open | HalfOpen {
  return breaker.state !== 'Closed' && breaker.failure.connection === 'CircuitOpen';
}

export function isCredentialRefused(breaker: Breaker): breaker is Open | HalfOpen {
  return breaker.state !== 'Closed' && breaker.failure.connection === 'Unauthorized';
}

/**
 * The health of the connection after an attempt; undefined while it is unknown. One scope on which the service fails,
 * or which it refuses, does not make the connection unreachable or unauthorized: all scopes, or five of them, do.
 */
export function healthAfter(
  breaker: Breaker,
  observation: Pick<AttemptObservation, 'failure' | 'scopes' | 'isAlone'>,
  before: ConnectionReason | undefined,
): ConnectionReason | undefined {
  const { failure, scopes, isAlone } = observation;
  if (breaker.state !== 'Closed') return breaker.failure.connection;
  if (!failure) return 'Connected';
  const ending = endingOf(failure);
  if (ending === 'refused') return isAlone ? 'Connected' : before;
  if (ending !== 'unreached') return failure.connection;
  const isWide = !isAlone && breaker.failing.size >= Math.min(openThreshold, scopes);
  return isWide ? 'Unreachable' : before;
}

function counted(breaker: Breaker, scope: string): Counts {
  const { unreached, failing } = breaker;
  const areMany = failing.size >= openThreshold;
  return { unreached: unreached + 1, failing: areMany ? failing : new Set([...failing, scope]) };
}

/** Keeps the time of the next slow trial while the connection fails the same way. */
function openFor(breaker: Breaker, failure: ReconcileFailure, { nowMs, slowTrialMs }: AttemptObservation): Open {
  const isSame =
    breaker.state !== 'Closed' && breaker.failure.connection === failure.connection && nowMs < breaker.slowTrialAtMs;
  const slowTrialAtMs = isSame ? breaker.slowTrialAtMs : nowMs + slowTrialMs;
  return {
    state: 'Open',
    ...noCounts,
    failure,
    halfOpenScope: undefined,
    slowTrialAtMs,
    refusals: refusalsOf(breaker),
  };
}

/** The number of refusals when a refusal opens the circuit breaker or keeps it open. */
export function refusalsOf(breaker: Breaker): number {
  return isCredentialRefused(breaker) ? breaker.refusals + 1 : 0;
}

function openCircuit(failure: ReconcileFailure, counts: Counts, nowMs: number): Open {
  const open: ReconcileFailure = { ...failure, connection: 'CircuitOpen' };
  const { unreached, failing } = counts;
  return {
    state: 'Open',
    unreached,
    failing,
    failure: open,
    halfOpenScope: undefined,
    slowTrialAtMs: nowMs,
    refusals: 0,
  };
}
