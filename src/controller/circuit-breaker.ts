// The circuit breaker of one connection: a state, and the step function for the end of each attempt. It opens at once
// when the address or the credential cannot be used; when the service refuses the credential on two scopes in a row, on
// the only scope, or on one scope again after another gave no answer about it; and after five attempts in a row that
// did not reach the service, on five scopes or on all if there are fewer. A scope that fails alone does not count.
// Pure: connection-health.ts starts trials and acts on transitions.
import { type Ending, endingOf, type ReconcileFailure } from '../plan/failures.ts';
import type { ConnectionReason } from '../plan/reasons.ts';
import {
  type Breaker,
  type FailureCounts,
  type ClosedBreaker,
  type OpenBreaker,
  type AttemptObservation,
  openThreshold,
  noCounts,
  closedBreaker,
  type BreakerEvent,
  isCircuitOpen,
  isCredentialRefused,
  refusalsOf,
} from './breaker.ts';

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
function triedInVain(breaker: ClosedBreaker, scope: string): ClosedBreaker {
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

function withoutSuspect(breaker: Breaker, scope: string): Breaker {
  return breaker.state === 'Closed' && breaker.refused === scope
    ? { ...breaker, refused: undefined, isTriedInVain: false }
    : breaker;
}

/**
 * The health of the connection after an attempt; undefined while it is unknown. One scope on which the service fails
 * does not make the connection unreachable: all scopes, or five of them, do. One refused scope does not make it
 * unauthorized while another may disprove the refusal.
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

function counted(breaker: Breaker, scope: string): FailureCounts {
  const { unreached, failing } = breaker;
  const areMany = failing.size >= openThreshold;
  return { unreached: unreached + 1, failing: areMany ? failing : new Set([...failing, scope]) };
}

/** Keeps the time of the next slow trial while the connection fails the same way. */
function openFor(breaker: Breaker, failure: ReconcileFailure, { nowMs, slowTrialMs }: AttemptObservation): OpenBreaker {
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

function openCircuit(failure: ReconcileFailure, counts: FailureCounts, nowMs: number): OpenBreaker {
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
