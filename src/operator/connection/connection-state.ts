// What the ends of its attempts say about a connection: one small value and its only step function. Its health, what
// blocks its scopes, its pause and its trials are read from it. A connection waits as a whole at once when its address or
// credential cannot be used, and when the service refuses the credential or does not respond. Before that the scope that
// was served last is tried: what it disproves concerns only the scopes that fail. Pure; runtime.ts acts on it.
import type { NetworkCause } from '../../alerts/alerts-error.ts';
import { type EndKind, endKindOf, type ReconcileFailure } from '../decide/failures.ts';
import { backoffDelayMs } from '../decide/schedule.ts';
import type { ConnectionReason } from '../reasons/reasons.ts';

interface Unreached {
  /** Consecutive requests that did not reach the service, lists and PATCHes. */
  readonly unreached: number;
  /** Their scopes, at most `circuitThreshold`. */
  readonly failing: ReadonlySet<string>;
  /** True while only the scope that was served last may show that the service responds. */
  readonly isDoubted: boolean;
}

interface Trials {
  /** Number of trials since they became necessary. */
  readonly trials: number;
  /** The scope on trial. */
  readonly trial: string | undefined;
  /** When the next one is due; monotonic milliseconds. */
  readonly trialAtMs: number | undefined;
}

export interface ConnectionState extends Unreached, Trials {
  /** What the status shows; undefined until the first response after a start. */
  readonly health: ConnectionReason | undefined;
  /** Why the request that first had this health had no usable response. A later cause would rewrite the status of every policy. */
  readonly networkCause: NetworkCause | undefined;
  /** Why the connection waits as a whole; undefined while its scopes may be listed. */
  readonly failure: ReconcileFailure | undefined;
  /** The scope on which the service refused the credential, until another scope disproves it. */
  readonly refused: string | undefined;
  readonly lastServed: string | undefined;
  /** Number of responses that proved the credential. */
  readonly proofs: number;
  /** The scopes that got a 429, the last one last, until they are served or one of them gets it again while they get none. */
  readonly throttled: readonly string[];
  /** The end of the pause; monotonic milliseconds. */
  readonly pausedUntilMs: number;
  /** Its end for those scopes while others got none: at least as long again, which leaves half of the time to the others. */
  readonly throttledUntilMs: number;
}

/** How an attempt ended. */
export interface AttemptEnd {
  readonly scope: string;
  /** Undefined when nothing failed. */
  readonly failure: ReconcileFailure | undefined;
  /** The time that a 429 asked for, or what is left of it. */
  readonly retryAfterMs: number | undefined;
  /** True when the same failure was before, and concerned this scope only. */
  readonly isRefusedHereOnly: boolean;
  /** How often the scope failed in a row, this attempt included. */
  readonly failures: number;
  /** Number of the connection's scopes. */
  readonly scopes: number;
}

export type ConnectionEvent =
  /** A complete list. */
  | { readonly kind: 'Listed' }
  | { readonly kind: 'Ended'; readonly end: AttemptEnd }
  | { readonly kind: 'PatchAnswered' }
  /** It does not make the connection wait by itself: the list that verifies the PATCH says more. */
  | { readonly kind: 'PatchUnreached'; readonly scope: string }
  /** `scope`: undefined when there is none to try. */
  | { readonly kind: 'TrialBegun'; readonly scope: string | undefined }
  /** The scope no longer needs to be listed. */
  | { readonly kind: 'ScopeLeft'; readonly scope: string }
  | { readonly kind: 'SpecChanged' };

/** Consecutive requests that did not reach the service before the connection waits, and the number of their scopes. */
const circuitThreshold = 5;
const credentialTrialMs = 30_000;
/** The shortest pause, also when the service gives no time. */
const shortestPauseMs = 5000;
/** How long a throttled scope leaves to the others at most if the service asks for less. Its edits wait as well. */
const longestLeaveMs = 30_000;

const reached: Unreached = { unreached: 0, failing: new Set(), isDoubted: false };
const noTrials: Trials = { trials: 0, trial: undefined, trialAtMs: undefined };

export const newConnectionState: ConnectionState = {
  ...reached,
  ...noTrials,
  health: undefined,
  networkCause: undefined,
  failure: undefined,
  refused: undefined,
  lastServed: undefined,
  proofs: 0,
  throttled: [],
  pausedUntilMs: -Infinity,
  throttledUntilMs: -Infinity,
};

/** True when a list has to show that the service responds before anything more is sent. */
export function isProbablyAway({ unreached }: ConnectionState): boolean {
  return unreached >= circuitThreshold;
}

/** True while a 401 may concern its scope only. */
export function isUndecided({ refused, failure }: ConnectionState): boolean {
  return refused !== undefined && failure === undefined;
}

/** True while the connection waits, or may have to. */
export function needsTrial(state: ConnectionState): boolean {
  return causeOfTrials(state) !== undefined;
}

/** Trials begin anew when it changes. */
function causeOfTrials({ failure, refused, isDoubted }: ConnectionState): string | undefined {
  if (failure) return failure.connection;
  if (refused !== undefined) return 'refused';
  return isDoubted ? 'unreached' : undefined;
}

/** In turns the scope that was served last and the first of `scopes`; never the one that is in doubt. */
export function nextTrialOf(state: ConnectionState, scopes: readonly string[]): string | undefined {
  const suspect = state.failure ? undefined : state.refused;
  const known = state.lastServed === suspect ? undefined : state.lastServed;
  if (known !== undefined && state.trials % 2 === 0) return known;
  return scopes.find((scope) => scope !== suspect && scope !== known) ?? known;
}

export function stepConnection(state: ConnectionState, event: ConnectionEvent, nowMs: number): ConnectionState {
  const next = { ...state, ...changeBy(state, event, nowMs) };
  return { ...next, ...trialsAfter(state, next, event, nowMs) };
}

function changeBy(state: ConnectionState, event: ConnectionEvent, nowMs: number): Partial<ConnectionState> {
  switch (event.kind) {
    case 'Listed':
      return proven(state);
    case 'Ended': {
      const trial = state.trial === event.end.scope ? undefined : state.trial;
      return { trial, ...steps[endKindOf(event.end.failure)]({ ...state, trial }, event.end, nowMs) };
    }
    case 'PatchAnswered':
      return reached;
    case 'PatchUnreached':
      return countedUnreached(state, event.scope);
    case 'TrialBegun':
      return { trial: event.scope };
    case 'ScopeLeft':
      return without(state, event.scope);
    case 'SpecChanged': {
      const { health, proofs, pausedUntilMs } = state;
      return { ...newConnectionState, health, proofs, pausedUntilMs };
    }
  }
}

type Step = (state: ConnectionState, end: AttemptEnd, nowMs: number) => Partial<ConnectionState>;

const afterServed: Step = (state, { scope }) => ({ ...proven(served(state, scope)), lastServed: scope });

/** The response may come from a component that does not check the credential. */
const afterGarbled: Step = (state, { scope }) =>
  state.refused === undefined ? working(served(state, scope)) : reached;

/** A request that the rate limiter rejects during a pause says nothing new. */
const afterBusy: Step = (state, { scope, scopes, failures, retryAfterMs }, nowMs) => {
  if (nowMs < state.pausedUntilMs) return state.failure ? {} : shown(state, 'Throttled');
  const waitMs = Math.max(retryAfterMs ?? 0, shortestPauseMs);
  const untilMs = nowMs + waitMs;
  const throttled = [...state.throttled.slice(state.throttled.indexOf(scope) + 1), scope];
  const isAgain = state.throttled.includes(scope) && throttled.length < scopes;
  return {
    ...reached,
    ...(!isRefused(state) && { failure: undefined, ...shown(state, 'Throttled') }),
    throttled,
    pausedUntilMs: untilMs,
    ...(isAgain && {
      throttledUntilMs: untilMs + Math.max(waitMs, Math.min(backoffDelayMs(failures), longestLeaveMs)),
    }),
  };
};

/** The connection waits once another scope was tried and did not disprove the refusal. */
const afterRefusal: Step = (state, { scope, failure, isRefusedHereOnly, scopes }) => {
  const { refused, lastServed = scope } = state;
  if (isRefused(state)) return reached;
  if (isRefusedHereOnly && refused === undefined) return working(state);
  const isSecond = refused !== undefined && refused !== scope && (lastServed === scope || lastServed === refused);
  const isConfirmed = scopes <= 1 || isSecond || (refused !== undefined && wasTried(state));
  const doubt = { ...reached, failure: undefined, refused: refused ?? scope };
  return isConfirmed ? { ...doubt, ...waitingFor(state, failure) } : doubt;
};

/** The connection waits after five, on five scopes or on all, one of them the scope that was served last. */
const afterUnreached: Step = (state, { scope, failure, scopes }) => {
  if (isCircuitOpen(state)) return {};
  const counted = countedUnreached(state, scope);
  const { lastServed, isDoubted } = state;
  if (counted.failing.size < Math.min(circuitThreshold, scopes)) return counted;
  const isWitness = lastServed !== undefined && !counted.failing.has(lastServed);
  if (isWitness && !(isDoubted && wasTried(state))) return { ...counted, isDoubted: true };
  if (counted.unreached >= circuitThreshold)
    return {
      ...counted,
      refused: undefined,
      ...waitingFor(state, failure && { ...failure, connection: 'CircuitOpen' }),
    };
  return { ...counted, ...(!state.failure && shown(state, 'Unreachable', failure)) };
};

const steps: Readonly<Record<EndKind, Step>> = {
  listed: afterServed,
  answered: afterServed,
  garbled: afterGarbled,
  busy: afterBusy,
  refused: afterRefusal,
  unusable: (state, { failure }) => ({ ...reached, refused: undefined, ...waitingFor(state, failure) }),
  unreached: afterUnreached,
};

function waitingFor(state: ConnectionState, failure: ReconcileFailure | undefined): Partial<ConnectionState> {
  return { failure, ...shown(state, failure?.connection, failure) };
}

function shown(
  state: ConnectionState,
  health: ConnectionState['health'],
  failure?: ReconcileFailure,
): Pick<ConnectionState, 'health' | 'networkCause'> {
  const known = health === state.health ? state.networkCause : undefined;
  return { health, networkCause: known ?? failure?.networkCause };
}

function working(state: ConnectionState): Partial<ConnectionState> {
  const { throttled } = state;
  return {
    ...reached,
    failure: undefined,
    throttled,
    ...shown(state, throttled.length === 0 ? 'Connected' : 'Throttled'),
  };
}

function proven(state: ConnectionState): Partial<ConnectionState> {
  return { ...working(state), refused: undefined, proofs: state.proofs + 1 };
}

function served(state: ConnectionState, scope: string): ConnectionState {
  return { ...state, throttled: state.throttled.filter((other) => other !== scope) };
}

function countedUnreached({ unreached, failing, isDoubted }: Unreached, scope: string): Unreached {
  const areMany = failing.size >= circuitThreshold;
  return { unreached: unreached + 1, failing: areMany ? failing : new Set([...failing, scope]), isDoubted };
}

function without(state: ConnectionState, scope: string): Partial<ConnectionState> {
  const { refused, lastServed, trial } = state;
  const { throttled } = served(state, scope);
  return {
    throttled,
    ...(refused === scope && isUndecided(state) && { refused: undefined }),
    ...(lastServed === scope && { lastServed: undefined }),
    ...(trial === scope && { trial: undefined }),
  };
}

/** True when the trial of a doubt has ended without an answer. */
function wasTried({ trials, trial }: ConnectionState): boolean {
  return trials > 0 && trial === undefined;
}

function isCircuitOpen({ failure }: ConnectionState): boolean {
  return failure?.connection === 'CircuitOpen';
}

/** True while the connection waits because the service refuses the credential. */
export function isRefused({ refused, failure }: ConnectionState): boolean {
  return refused !== undefined && failure !== undefined;
}

/**
 * The next trial is planned when one ends, and when it begins in case that it never ends. A doubt has one trial; then the
 * scopes that failed decide.
 */
function trialsAfter(
  before: ConnectionState,
  after: ConnectionState,
  { kind }: ConnectionEvent,
  nowMs: number,
): Partial<Trials> {
  const cause = causeOfTrials(after);
  if (cause === undefined) return noTrials;
  if (cause !== causeOfTrials(before)) return { ...noTrials, trialAtMs: nowMs + trialDelayMs(after, 0) };
  if (kind === 'TrialBegun') {
    const trials = before.trials + 1;
    return { trials, trialAtMs: nowMs + Math.max(trialDelayMs(after, trials), credentialTrialMs) };
  }
  const hasEnded = before.trial !== undefined && after.trial === undefined;
  if (!hasEnded) return {};
  return { trialAtMs: after.failure ? nowMs + trialDelayMs(after, before.trials) : undefined };
}

/** At once in a doubt; every 30 s for a credential; after 1 s, 2 s, 4 s … up to 5 min when the service does not respond. */
function trialDelayMs(state: ConnectionState, trials: number): number {
  if (isCircuitOpen(state)) return backoffDelayMs(trials + 1);
  return state.failure ? credentialTrialMs : 0;
}
