// Whether the scopes of one connection may be reconciled: a state, and what the end of each attempt does to it. Three things open the
// circuit breaker: an address or a credential that cannot be used, at once; a credential that the service refuses on two scopes in a row,
// on the only one, or on one again after another was tried in vain; and five attempts in a row that did not reach the service, on five
// scopes or on all there are (the circuit). A scope that fails alone has no say. Pure; when a trial goes out and what else a change brings
// about is connection-health.ts's.
import { type Ending, endingOf, type ReconcileFailure } from '../plan/failures.ts';
import type { ConnectionReason } from '../plan/reasons.ts';

export type Breaker = Closed | Open | HalfOpen;

interface Counts {
  /** Requests in a row that did not reach the service: lists and PATCHes. */
  readonly unreached: number;
  /** The scopes of those requests, at most as many as open the circuit. */
  readonly failing: ReadonlySet<string>;
}

/** Every scope may be reconciled. */
interface Closed extends Counts {
  readonly state: 'Closed';
  /** The scope on which the service refused the credential, while no other scope has confirmed or disproved it. */
  readonly refused: string | undefined;
  /** True once another scope was tried since, and what came back says nothing about the credential. */
  readonly isTriedInVain: boolean;
}

interface Tripped extends Counts {
  /** What every scope but the probe is told. */
  readonly failure: ReconcileFailure;
  /** Monotonic; from then on a probe goes out even with the credential that was refused. */
  readonly slowProbeAtMs: number;
  /** Probes that the service refused since the breaker opened. */
  readonly refusals: number;
}

/** No scope may be listed; an edit may. */
interface Open extends Tripped {
  readonly state: 'Open';
  readonly halfOpenScope: undefined;
}

/** One scope may be listed, to find out whether it works again. */
interface HalfOpen extends Tripped {
  readonly state: 'HalfOpen';
  readonly halfOpenScope: string;
}

/** What a reconcile found, `failure` undefined after a whole list. */
export interface AttemptObservation {
  readonly scope: string;
  readonly failure: ReconcileFailure | undefined;
  /** The scope failed like this before, and since then the service served another one. */
  readonly isAlone: boolean;
  /** Scopes of the connection that do not fail alone. */
  readonly scopes: number;
  readonly nowMs: number;
  /** How long a refused credential is left alone when nothing about it changes. */
  readonly slowProbeMs: number;
}

/** Requests in a row that did not reach the service, before the circuit opens; on so many scopes, or on all if there are fewer. */
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
  /** A list, or a whole reconcile, ended. */
  | { readonly kind: 'AttemptEnded'; readonly observation: AttemptObservation }
  | { readonly kind: 'PatchAnswered' }
  /** It never opens the circuit by itself: the list that proves the PATCH says more. */
  | { readonly kind: 'PatchUnreached'; readonly scope: string }
  /** One scope may be listed, to find out whether the connection works again. */
  | { readonly kind: 'TrialBegun'; readonly scope: string }
  /** The scope need not be listed any more: whether the credential caused its refusal does not matter now. */
  | { readonly kind: 'ScopeLeft'; readonly scope: string }
  /** The spec of the connection changed: what was held against it no longer counts. */
  | { readonly kind: 'ConnectionChanged' };

/** The only way from state to state. */
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

/** Something answers there, but perhaps before it asks for the credential. */
function afterOtherAnswer(breaker: Breaker, { scope }: AttemptObservation): Breaker {
  if (breaker.state === 'Closed') return { ...triedInVain(breaker, scope), ...noCounts };
  return isCredentialRefused(breaker) ? breaker : closedBreaker;
}

function afterRefusal(breaker: Breaker, observation: AttemptObservation, failure: ReconcileFailure): Breaker {
  const { scope, scopes, isAlone, nowMs } = observation;
  if (isCredentialRefused(breaker)) {
    const isNews = breaker.halfOpenScope === scope || nowMs >= breaker.slowProbeAtMs;
    return isNews ? openFor(breaker, failure, observation) : breaker;
  }
  const { refused: suspect, isTriedInVain } = breaker.state === 'Closed' ? breaker : closedBreaker;
  if (isAlone) return { ...closedBreaker, refused: suspect, isTriedInVain };
  // The suspect once more is enough where no other scope is served: it must not be asked for ever.
  const isConfirmed = scopes <= 1 || (suspect !== undefined && (suspect !== scope || isTriedInVain));
  return isConfirmed ? openFor(breaker, failure, observation) : { ...closedBreaker, refused: scope };
}

/** What an attempt on another scope than the suspect leaves open. */
function triedInVain(breaker: Closed, scope: string): Closed {
  const isOther = breaker.refused !== undefined && breaker.refused !== scope;
  return isOther ? { ...breaker, isTriedInVain: true } : breaker;
}

function afterUnreached(breaker: Breaker, observation: AttemptObservation, failure: ReconcileFailure): Breaker {
  const { scope, isAlone, scopes, nowMs } = observation;
  // While the circuit is open only the probe counts: attempts that were under way, and those of edits, say nothing new.
  if (isCircuitOpen(breaker))
    return breaker.halfOpenScope === scope ? openCircuit(failure, counted(breaker, scope), nowMs) : breaker;
  const tried = breaker.state === 'Closed' ? triedInVain(breaker, scope) : breaker;
  if (isAlone) return tried;
  const next = { ...tried, ...counted(breaker, scope) };
  const opens = next.unreached >= openThreshold && next.failing.size >= Math.min(openThreshold, scopes);
  return opens ? openCircuit(failure, next, nowMs) : next;
}

/** True once it is not worth to send more without asking first whether the service is there. */
export function thresholdReached({ unreached }: Breaker): boolean {
  return unreached >= openThreshold;
}

/** One scope was refused, perhaps alone, and no other one has confirmed or disproved it. */
export function isUndecided(breaker: Breaker): boolean {
  return breaker.state === 'Closed' && breaker.refused !== undefined;
}

function withoutSuspect(breaker: Breaker, scope: string): Breaker {
  return breaker.state === 'Closed' && breaker.refused === scope
    ? { ...breaker, refused: undefined, isTriedInVain: false }
    : breaker;
}

/** True while another scope has to be tried. */
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
 * The health of the connection after an attempt; undefined while nothing is known. One scope that the service fails on, or refuses,
 * does not make it unreachable or unauthorized: as many scopes as there are do, or five of them.
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

/** A refused credential is left alone for the time that was said first, and then again for as long. */
function openFor(breaker: Breaker, failure: ReconcileFailure, { nowMs, slowProbeMs }: AttemptObservation): Open {
  const isSame =
    breaker.state !== 'Closed' && breaker.failure.connection === failure.connection && nowMs < breaker.slowProbeAtMs;
  const slowProbeAtMs = isSame ? breaker.slowProbeAtMs : nowMs + slowProbeMs;
  return {
    state: 'Open',
    ...noCounts,
    failure,
    halfOpenScope: undefined,
    slowProbeAtMs,
    refusals: refusalsOf(breaker),
  };
}

/** The count for a breaker that opens, or is kept open, by a refusal. */
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
    slowProbeAtMs: nowMs,
    refusals: 0,
  };
}
