// The outcomes of an attempt, and what each concludes: the statuses, the counters of the scope, what the connection learns, the log line, the
// metric result and the time of the next reconcile. scope/record.ts carries the conclusion out.
import type { AlertsError } from '../../alerts/alerts-error.ts';
import { CodedError, isCoded, StoppedError } from '../../lib/errors.ts';
import type { LedgerNews } from '../dismissals/ledger.ts';
import type { Plan, PolicyDecision, PolicyInput } from './decisions.ts';
import {
  causeOf,
  extended,
  failureOf,
  type FailureStreak,
  internalFailure,
  isLogged,
  levelOf,
  noStreak,
  type ReconcileFailure,
  shownFailure,
} from './failures.ts';
import {
  backoffDelayMs,
  failureDelayMs,
  firstEndMs,
  freshLeftMs,
  type NextReconcile,
  slowDelayMs,
  suspensionEndOf,
} from './schedule.ts';
import type { EndCounts, ScopeState } from './scope-state.ts';
import type { Correction } from './writes.ts';

export function conclude(input: ConcludeInput): Conclusion {
  const { listed } = input.outcome;
  return {
    counts: {},
    use: 'Kept',
    ledger: listed?.plan,
    corrections: listed?.corrections ?? [],
    connection: undefined,
    isScopeMissing: false,
    log: undefined,
    statuses: new Map(),
    ...ended(input, input.outcome),
    ...(input.isEnding && {
      statuses: new Map(input.policies.map(({ key }) => [key, { kind: 'connection-deleting' }])),
    }),
  };
}

function ended(input: ConcludeInput, outcome: Outcome): PartialConclusion {
  switch (outcome.kind) {
    case 'NotNeeded':
      return { result: 'skipped', next: onEvent, use: 'Forgotten' };
    case 'Deferred':
      return { result: 'skipped', next: { at: 'Delay', delayMs: outcome.delayMs, isJittered: false } };
    case 'NoConnection':
      return concludeResting(input, { kind: 'no-connection' });
    case 'Deleting':
      return concludeResting(input, { kind: 'connection-deleting' });
    case 'AccessDenied':
      return concludeResting(input, { kind: 'access-denied' });
    case 'Suspended':
      return concludeSuspended(input);
    case 'Blocked':
      return concludeBlocked(input, outcome.failure);
    case 'Interrupted':
      return { result: 'skipped', next: atOnce };
    case 'Failed':
      return concludeFailed(input, outcome);
    case 'Outdated':
      return concludeOutdated(input, outcome);
    case 'Planned':
      return concludePlanned(input, outcome);
    case 'Broken':
      return concludeBroken(input, outcome.error);
  }
}

/** The first end of a suspension resumes the scope; without one, an edit does. */
function concludeSuspended(input: ConcludeInput): PartialConclusion {
  const endMs = suspensionEndOf(input.policies, input.gatheredMs);
  const next = endMs === undefined ? onEvent : nextAt(endMs, input.intervalMs);
  return { ...concludeResting(input, { kind: 'suspended' }), next };
}

/** Writes the statuses once and waits for an event. */
function concludeResting({ policies }: ConcludeInput, status: StatusCause): PartialConclusion {
  return {
    result: 'skipped',
    next: onEvent,
    use: 'Resting',
    statuses: new Map(policies.map(({ key }) => [key, status])),
  };
}

/** The plan of the last complete list, and what the lists of the attempt have verified. It is recorded even if nothing could be sent. */
export interface ListedPlan {
  readonly plan: Plan;
  readonly corrections: readonly Correction[];
}

/** How an attempt ended. */
export type Outcome = { readonly listed?: ListedPlan } & (
  | /** No policy and no entry of the ledger needs the scope, or another shard serves it. */ {
      readonly kind: 'NotNeeded';
    }
  | /** The connection does not exist yet, and another shard may serve it once it does; or the namespace is not known yet. */ {
      readonly kind: 'Deferred';
      readonly delayMs: number;
    }
  | { readonly kind: 'NoConnection' }
  | /** The connection or its namespace is being deleted, and the ledger has no entry for the scope. */ {
      readonly kind: 'Deleting';
    }
  | /** The connection does not let the policy list the scope. */ { readonly kind: 'AccessDenied' }
  | /** Every policy is suspended, and the ledger has no entry for the scope. */ { readonly kind: 'Suspended' }
  | /** The connection waits or pauses, and the scope with it. */ {
      readonly kind: 'Blocked';
      readonly failure: ReconcileFailure;
    }
  | /** An edit of the scope aborted the wait for the rate limiter before any PATCH was sent. */ {
      readonly kind: 'Interrupted';
    }
  | /** The list failed, or the service failed before a PATCH was sent. */ {
      readonly kind: 'Failed';
      readonly error: AlertsError;
    }
  | /** No action was sent, because the plan was outdated. */ {
      readonly kind: 'Outdated';
      readonly listed: ListedPlan;
      readonly detail: string | undefined;
    }
  | Planned
  | /** The API server, a bug or a stop ended it. */ { readonly kind: 'Broken'; readonly error: unknown }
);

/** A complete list, and how much of its plan was sent. */
export interface Planned {
  readonly kind: 'Planned';
  readonly listed: ListedPlan;
  /** `Verified`: a complete list began after the last PATCH. */
  readonly sent: 'Nothing' | 'Unverified' | 'Verified';
  /** True when the batch was a part of the plan and the rest is due immediately. */
  readonly isPartial: boolean;
  /** The error that ended the sending or the verifying list. */
  readonly error: CodedError | undefined;
}

export type OutcomeOf<K extends Outcome['kind']> = Extract<Outcome, { kind: K }>;

export interface ConcludeInput {
  readonly outcome: Outcome;
  readonly state: ScopeState;
  /** Policies that reach the scope through this connection. */
  readonly policies: readonly PolicyInput[];
  /** True while the connection or its namespace is being deleted: then no policy shows anything else. */
  readonly isEnding: boolean;
  readonly intervalMs: number;
  /** When the policies were gathered; milliseconds since 1970. */
  readonly gatheredMs: number;
  /** True during a pause that the service asked for. */
  readonly isPaused: boolean;
  /** True when a refused credential is known to be refused on this scope only. */
  readonly isRefusedHereOnly: boolean;
  /** The last failures of the whole connection. */
  readonly connectionStreak: FailureStreak;
  /** True when the work queue is stopping. */
  readonly isStopping: boolean;
  readonly monotonicMs: number;
}

/**
 * How a reconcile ended. `unverified`: a PATCH was sent, and no list has shown its effect. `failed`: because of the
 * service. `error`: because of the API server or a bug. `skipped`: nothing was to be listed, or the wait was aborted.
 */
export type ReconcileResult = 'unchanged' | 'corrected' | 'unverified' | 'failed' | 'skipped' | 'error';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * How the connection treats the scope from now on. `Forgotten`: it drops the state of the scope. `Resting`: it does not
 * list the scope until an event. `Kept`: as before.
 */
type ScopeUse = 'Forgotten' | 'Resting' | 'Kept';

/** What one policy's status shows of a reconcile. */
export type StatusCause =
  | { readonly kind: 'listed'; readonly decision: PolicyDecision; readonly corrections: readonly Correction[] }
  | { readonly kind: 'failed'; readonly failure: ReconcileFailure; readonly isStale: boolean }
  | { readonly kind: 'suspended' }
  | { readonly kind: 'access-denied' }
  | { readonly kind: 'no-connection' }
  | { readonly kind: 'connection-deleting' };

export interface Conclusion {
  readonly result: ReconcileResult;
  readonly next: NextReconcile;
  readonly counts: Partial<EndCounts>;
  readonly use: ScopeUse;
  /** What the lists of the attempt showed about the ledger. */
  readonly ledger: LedgerNews | undefined;
  readonly corrections: readonly Correction[];
  /** Set when the outcome says something about the connection; without an error, the connection works. */
  readonly connection: { readonly error: CodedError | undefined } | undefined;
  /** True when the service does not know the scope; every entry of the scope then counts as missing. */
  readonly isScopeMissing: boolean;
  readonly log: LogLine | undefined;
  /** By policy key: what its status shows. Other policies keep their status. */
  readonly statuses: ReadonlyMap<string, StatusCause>;
}

type PartialConclusion = Partial<Conclusion> & Pick<Conclusion, 'result' | 'next'>;

const recordEveryOutdated = 4;

/**
 * The caches or a newer list contradict the plan. If they keep doing so, the delay grows, and every fourth plan is
 * recorded.
 */
function concludeOutdated(input: ConcludeInput, { detail, listed }: OutcomeOf<'Outdated'>): PartialConclusion {
  const count = input.state.outdated + 1;
  return {
    result: 'unchanged',
    counts: { failures: 0, streak: noStreak, outdated: count },
    log: { level: isLogged(count) ? 'info' : 'debug', message: 'plan outdated, nothing sent', fields: { detail } },
    statuses: count % recordEveryOutdated === 0 ? planStatuses(input, listed) : new Map(),
    next: {
      at: 'Delay',
      delayMs: Math.min(backoffDelayMs(count), input.intervalMs),
      isJittered: true,
      changeMs: firstEndMs(input.policies, input.gatheredMs),
    },
  };
}

/** The list was complete, and nothing, a part or all of its plan was sent. */
function concludePlanned(input: ConcludeInput, outcome: Planned): PartialConclusion {
  const { listed, error, isPartial } = outcome;
  const failure = error && shownFailure(failureOf(error), input.isRefusedHereOnly);
  const failures = failure ? input.state.failures + 1 : 0;
  const streak = failure ? extended(input.state.streak, causeOf(failure)) : noStreak;
  const common = {
    counts: { failures, streak, outdated: 0 },
    connection: { error },
    log: error && failure && { ...sendingLog(outcome, error), level: levelOf(input, streak, failure) },
  } as const;
  const statuses = planStatuses(input, listed);
  if (isPartial) return { ...common, result: 'corrected', next: atOnce, statuses };
  const next = failure
    ? nextAfterFailure(input, failure, failures, error)
    : nextAt(listed.plan.nextChangeMs, input.intervalMs);
  return { ...common, result: resultOf(outcome), next, statuses };
}

function sendingLog({ sent }: Planned, { code, detail, message }: CodedError): Omit<LogLine, 'level'> {
  const text = sent === 'Verified' ? 'plan partly sent' : 'sent, not verified';
  return { message: text, fields: { code, detail, error: message } };
}

function resultOf({ sent }: Planned): ReconcileResult {
  if (sent === 'Nothing') return 'unchanged';
  return sent === 'Verified' ? 'corrected' : 'unverified';
}

function planStatuses({ state, policies }: ConcludeInput, { plan }: ListedPlan): Map<string, StatusCause> {
  const decisions = new Map(plan.policies.map((decision) => [decision.key, decision]));
  const outcomeOf = ({ key, isSuspended }: PolicyInput): StatusCause => {
    const decision = decisions.get(key);
    if (!decision || isSuspended) return { kind: 'suspended' };
    return { kind: 'listed', decision, corrections: state.unrecorded.get(key) ?? [] };
  };
  return new Map(policies.map((input) => [input.key, outcomeOf(input)]));
}

/** With jitter 30 s: the longest delay of a status write after the API server has recovered. */
const longestErrorDelayMs = 25_000;

/** The connection waits or pauses, so the scope was not listed. */
function concludeBlocked(input: ConcludeInput, failure: ReconcileFailure): PartialConclusion {
  const { policies, gatheredMs, intervalMs } = input;
  const isPaused = failure.pace === 'retry-after';
  return {
    result: 'failed',
    statuses: failureStatuses(input, failure),
    // A connection that works again requeues its scopes; this slow retry is a fallback.
    next: isPaused ? atPauseEnd(input) : nextAt(suspensionEndOf(policies, gatheredMs), slowDelayMs(intervalMs)),
  };
}

/** The statuses show the failure and keep what was last seen. */
function concludeFailed(input: ConcludeInput, { error }: OutcomeOf<'Failed'>): PartialConclusion {
  const { code, detail, message } = error;
  const failure = shownFailure(failureOf(error), input.isRefusedHereOnly);
  const failures = input.state.failures + 1;
  const streak = extended(input.state.streak, causeOf(failure));
  // During a pause every due scope fails like this, and the response that began the pause is already logged.
  const isWaiting = code === 'service-busy' && input.isPaused;
  const level = isWaiting ? 'debug' : levelOf(input, streak, failure);
  const fields = { code, reason: failure.reason, detail, error: message };
  const isPause = failure.pace === 'retry-after';
  return {
    result: 'failed',
    counts: { failures, streak },
    connection: { error },
    isScopeMissing: code === 'scope-not-found',
    log: { level, message: 'reconcile failed', fields },
    statuses: failureStatuses(input, failure),
    next: isPause ? atPauseEnd(input) : nextAfterFailure(input, failure, failures, error),
  };
}

/**
 * A stop, the API server or a bug ended the reconcile. The statuses show only a bug; after the others they may not be
 * writable.
 */
function concludeBroken({ state, policies, isStopping }: ConcludeInput, error: unknown): PartialConclusion {
  if (isStopping || error instanceof StoppedError) return { result: 'skipped', next: onEvent };
  const errors = state.errors + 1;
  // A status that the API server does not take: no recovery of the API server ends that.
  const longestDelayMs = isCoded(error, 'kube-invalid') ? Infinity : longestErrorDelayMs;
  const delayMs = Math.min(backoffDelayMs(errors), longestDelayMs);
  const common = { result: 'error', counts: { errors }, next: { at: 'Delay', delayMs, isJittered: true } } as const;
  if (error instanceof CodedError) {
    const { code, message, detail } = error;
    const level = isLogged(errors) ? 'warn' : 'debug';
    const fields = { code, error: message, detail, errors };
    return { ...common, log: { level, message: 'reconcile not completed', fields } };
  }
  const status: StatusCause = { kind: 'failed', failure: internalFailure, isStale: false };
  return {
    ...common,
    log: { level: 'error', message: 'reconcile failed unexpectedly', fields: { err: error } },
    statuses: new Map(policies.map(({ key }) => [key, status])),
  };
}

function atPauseEnd({ intervalMs, policies, gatheredMs }: ConcludeInput): NextReconcile {
  return { at: 'PauseEnd', intervalMs, changeMs: suspensionEndOf(policies, gatheredMs) };
}

function failureStatuses(input: ConcludeInput, failure: ReconcileFailure): Map<string, StatusCause> {
  const status: StatusCause = { kind: 'failed', failure, isStale: freshLeftMs(input.state, input) < 0 };
  return new Map(input.policies.map(({ key, isSuspended }) => [key, isSuspended ? { kind: 'suspended' } : status]));
}

const onEvent: NextReconcile = { at: 'Event' };
const atOnce: NextReconcile = { at: 'Delay', delayMs: 0, isJittered: false };

/** `failures`: consecutive ones, this one included. The end of a dismissal or a suspension does not wait for a slow retry. */
function nextAfterFailure(
  input: ConcludeInput,
  { pace }: ReconcileFailure,
  failures: number,
  error: CodedError | undefined,
): NextReconcile {
  const { intervalMs, policies, gatheredMs } = input;
  const delayMs = failureDelayMs(pace, { intervalMs, failures, retryAfterMs: error?.retryAfterMs });
  if (pace === 'after-interval' || pace === 'forbidden') return nextAt(firstEndMs(policies, gatheredMs), delayMs);
  return { at: 'Delay', delayMs, isJittered: pace === 'backoff' };
}

/** At that moment, and at the latest after `delayMs`. */
function nextAt(changeMs: number | undefined, delayMs: number): NextReconcile {
  return { at: 'Delay', delayMs, isJittered: false, changeMs };
}
