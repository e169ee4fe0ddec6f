// Concludes a reconcile: turns its outcome into the statuses, the counters of the scope, what the connection learns,
// the log line, the metric result and the time of the next reconcile. Pure; carry-out.ts and record-statuses.ts of the
// controller apply it.
import type { AlertsError } from '../alerts/alerts-error.ts';
import { CodedError, StoppedError } from '../lib/errors.ts';
import { failureOf, internalFailure, type ReconcileFailure, shownFailure } from './failures.ts';
import type { Correction } from './memory.ts';
import { backoffDelayMs, failureDelayMs, isStale, type NextReconcile, slowDelayMs } from './schedule.ts';
import type { EndCounts, ScopeState } from './scope-state.ts';
import type { ReconcileOutcome } from './status.ts';
import type { LedgerNews, Plan, PolicyInput } from './types.ts';

/** What the complete lists of an attempt showed. It is recorded even if the plan could not be carried out. */
export interface Seen {
  readonly plan: Plan;
  readonly corrections: readonly Correction[];
}

/** How an attempt ended. */
export type Outcome = { readonly seen?: Seen } & (
  | /** No policy and no entry of the ledger needs the scope, or another shard serves it. */ {
      readonly kind: 'NotNeeded';
    }
  | /** The connection does not exist yet, and another shard may serve it once it does. */ {
      readonly kind: 'Deferred';
      readonly delayMs: number;
    }
  | { readonly kind: 'NoConnection' }
  | /** Every policy is suspended, and the ledger has no entry for the scope. */ { readonly kind: 'Suspended' }
  | /** The circuit breaker or a pause blocks the scope. */ {
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
      readonly seen: Seen;
      readonly detail: string | undefined;
    }
  | Planned
  | /** The API server, a bug or a stop ended it. */ { readonly kind: 'Broken'; readonly error: unknown }
);

/** A complete list, and how much of its plan was sent. */
interface Planned {
  readonly kind: 'Planned';
  readonly seen: Seen;
  /** `Verified`: a complete list began after the last PATCH. */
  readonly sent: 'Nothing' | 'Unverified' | 'Verified';
  /** True when the batch was a part of the plan and the rest is due immediately. */
  readonly isPartial: boolean;
  /** The error that ended the sending or the verifying list. */
  readonly error: CodedError | undefined;
}

export interface ConcludeInput {
  readonly outcome: Outcome;
  readonly state: ScopeState;
  /** Policies that reach the scope through this connection. */
  readonly policies: readonly PolicyInput[];
  readonly intervalMs: number;
  /** True when the work item has the urgency `edit`. */
  readonly isEdit: boolean;
  /** True during a pause that the service asked for. */
  readonly isPaused: boolean;
  /** True when the scope failed the same way before and the service has served another scope since. */
  readonly isAlone: boolean;
  /** True when the work queue is stopping. */
  readonly isStopping: boolean;
  readonly monotonicMs: number;
}

/** How a reconcile ended. `unverified`: a PATCH was sent, and no list has shown its effect. */
export type ReconcileResult = 'unchanged' | 'corrected' | 'unverified' | 'failed' | 'skipped' | 'error';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** How the connection treats the scope from now on. `Waiting`: it reconciles the scope when it works again. */
export type ScopeUse = 'Forgotten' | 'Resting' | 'Waiting' | 'Served' | 'Kept';

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
  readonly statuses: ReadonlyMap<string, ReconcileOutcome>;
  /** True when the statuses reflect only a part of a plan. */
  readonly isPart: boolean;
}

type Ended = Partial<Conclusion> & Pick<Conclusion, 'result' | 'next'>;
type Of<K extends Outcome['kind']> = Extract<Outcome, { kind: K }>;

const partRecordEveryMs = 60_000;
const recordEveryOutdated = 4;
/** With jitter 30 s: the longest delay of a status write after the API server has recovered. */
const longestErrorDelayMs = 25_000;

const onEvent: NextReconcile = { at: 'Event' };
const atOnce: NextReconcile = { at: 'Delay', delayMs: 0, isJittered: false };

export function conclude(input: ConcludeInput): Conclusion {
  const { seen } = input.outcome;
  return {
    counts: {},
    use: 'Kept',
    ledger: seen?.plan,
    corrections: seen?.corrections ?? [],
    connection: undefined,
    isScopeMissing: false,
    log: undefined,
    statuses: new Map(),
    isPart: false,
    ...ended(input, input.outcome),
  };
}

function ended(input: ConcludeInput, outcome: Outcome): Ended {
  switch (outcome.kind) {
    case 'NotNeeded':
      return { result: 'skipped', next: onEvent, use: 'Forgotten' };
    case 'Deferred':
      return { result: 'skipped', next: { at: 'Delay', delayMs: outcome.delayMs, isJittered: false } };
    case 'NoConnection':
      return resting(input, { kind: 'no-connection' });
    case 'Suspended':
      return resting(input, { kind: 'suspended' });
    case 'Blocked':
      return blocked(input, outcome.failure);
    case 'Interrupted':
      return { result: 'skipped', next: atOnce };
    case 'Failed':
      return failed(input, outcome);
    case 'Outdated':
      return outdated(input, outcome);
    case 'Planned':
      return planned(input, outcome);
    case 'Broken':
      return broken(input, outcome.error);
  }
}

/** Writes the statuses once and waits for an event. */
function resting({ policies }: ConcludeInput, status: ReconcileOutcome): Ended {
  return {
    result: 'skipped',
    next: onEvent,
    use: 'Resting',
    statuses: new Map(policies.map(({ key }) => [key, status])),
  };
}

function blocked(input: ConcludeInput, failure: ReconcileFailure): Ended {
  const isPaused = failure.pace === 'retry-after';
  return {
    result: 'failed',
    use: isPaused ? 'Kept' : 'Waiting',
    statuses: failureStatuses(input, failure),
    // A closing circuit breaker requeues its scopes; this slow retry is a fallback.
    next: isPaused ? { at: 'PauseEnd', intervalMs: input.intervalMs } : after(slowDelayMs(input.intervalMs)),
  };
}

/** The statuses show the failure and keep what was last seen. */
function failed(input: ConcludeInput, { error }: Of<'Failed'>): Ended {
  const { code, detail, message } = error;
  const failure = shownFailure(failureOf(error), input.isAlone);
  const failures = input.state.failures + 1;
  // During a pause every due scope fails like this, and the response that began the pause is already logged.
  const level = code === 'service-busy' && input.isPaused ? 'debug' : 'warn';
  const fields = { code, reason: failure.reason, detail, error: message };
  const isPause = failure.pace === 'retry-after';
  return {
    result: 'failed',
    counts: { failures },
    connection: { error },
    isScopeMissing: code === 'scope-not-found',
    log: { level, message: 'reconcile failed', fields },
    statuses: failureStatuses(input, failure),
    next: isPause ? { at: 'PauseEnd', intervalMs: input.intervalMs } : retry(input, failure, failures, error),
  };
}

/**
 * The caches or a newer list contradict the plan. If they keep doing so, the delay grows, and every fourth plan is
 * recorded.
 */
function outdated(input: ConcludeInput, { detail, seen }: Of<'Outdated'>): Ended {
  const count = input.state.outdated + 1;
  return {
    result: 'unchanged',
    counts: { failures: 0, outdated: count },
    log: { level: 'info', message: 'plan outdated, nothing sent', fields: { detail } },
    statuses: count % recordEveryOutdated === 0 ? planStatuses(input, seen) : new Map(),
    next: soon(count),
  };
}

function planned(input: ConcludeInput, outcome: Planned): Ended {
  const { seen, error, isPartial } = outcome;
  const failure = error && shownFailure(failureOf(error), input.isAlone);
  const failures = failure ? input.state.failures + 1 : 0;
  const common = {
    counts: { failures, outdated: 0 },
    use: failure ? 'Kept' : 'Served',
    connection: { error },
    log: error && sendingLog(outcome, error),
  } as const;
  if (isPartial && canWait(input, seen)) return { ...common, result: 'corrected', next: atOnce };
  const statuses = planStatuses(input, seen);
  if (isPartial) return { ...common, result: 'corrected', next: atOnce, statuses, isPart: true };
  const next = failure ? retry(input, failure, failures, error) : atChange(input, seen.plan);
  return { ...common, result: resultOf(outcome), next, statuses };
}

/**
 * A stop, the API server or a bug ended the reconcile. The statuses show only a bug; after the others they may not be
 * writable.
 */
function broken({ state, policies, isStopping }: ConcludeInput, error: unknown): Ended {
  if (isStopping || error instanceof StoppedError) return { result: 'skipped', next: onEvent };
  const errors = state.errors + 1;
  const common = { result: 'error', counts: { errors }, next: soon(errors) } as const;
  if (error instanceof CodedError) {
    const { code, message, detail } = error;
    return {
      ...common,
      log: { level: 'warn', message: 'reconcile not completed', fields: { code, error: message, detail } },
    };
  }
  const status: ReconcileOutcome = { kind: 'failed', failure: internalFailure, isStale: false };
  return {
    ...common,
    log: { level: 'error', message: 'reconcile failed unexpectedly', fields: { err: error } },
    statuses: new Map(policies.map(({ key }) => [key, status])),
  };
}

function sendingLog({ sent }: Planned, { code, detail, message }: CodedError): LogLine {
  const text = sent === 'Verified' ? 'plan partly sent' : 'sent, not verified';
  return { level: 'warn', message: text, fields: { code, detail, error: message } };
}

function resultOf({ sent }: Planned): ReconcileResult {
  if (sent === 'Nothing') return 'unchanged';
  return sent === 'Verified' ? 'corrected' : 'unverified';
}

/**
 * True for a partial plan whose statuses can wait, because every batch would write almost the same ones. The first and
 * the last part are written, one per minute in between, and every part that follows an edit or contains a deactivation,
 * because the next plan counts it.
 */
function canWait({ state, isEdit, monotonicMs }: ConcludeInput, { corrections }: Seen): boolean {
  if (isEdit || corrections.some(({ isActive }) => !isActive)) return false;
  return monotonicMs - state.partRecordedMs < partRecordEveryMs;
}

function planStatuses({ state, policies }: ConcludeInput, { plan }: Seen): Map<string, ReconcileOutcome> {
  const decisions = new Map(plan.policies.map((decision) => [decision.key, decision]));
  const outcomeOf = ({ key, policy }: PolicyInput): ReconcileOutcome => {
    const decision = decisions.get(key);
    if (!decision || policy.spec.suspend) return { kind: 'suspended' };
    return { kind: 'listed', decision, corrections: state.unrecorded.get(key) ?? [] };
  };
  return new Map(policies.map((input) => [input.key, outcomeOf(input)]));
}

function failureStatuses(input: ConcludeInput, failure: ReconcileFailure): Map<string, ReconcileOutcome> {
  const status: ReconcileOutcome = { kind: 'failed', failure, isStale: isStale(input.state, input) };
  return new Map(input.policies.map(({ key, policy }) => [key, policy.spec.suspend ? { kind: 'suspended' } : status]));
}

function retry(
  { intervalMs }: ConcludeInput,
  { pace }: ReconcileFailure,
  failures: number,
  error: CodedError | undefined,
): NextReconcile {
  const delayMs = failureDelayMs(pace, { intervalMs, failures, retryAfterMs: error?.retryAfterMs });
  return { at: 'Delay', delayMs, isJittered: pace === 'backoff' };
}

function soon(failures: number): NextReconcile {
  return { at: 'Delay', delayMs: Math.min(backoffDelayMs(failures), longestErrorDelayMs), isJittered: true };
}

function after(delayMs: number): NextReconcile {
  return { at: 'Delay', delayMs, isJittered: false };
}

function atChange({ intervalMs }: ConcludeInput, { nextChangeMs }: Plan): NextReconcile {
  return nextChangeMs === undefined ? after(intervalMs) : { at: 'Change', changeMs: nextChangeMs, intervalMs };
}
