// Concludes a reconcile without a complete list: it was blocked, the service failed, or the API server, a bug or a stop ended it.
import { CodedError, isCoded, StoppedError } from '../../lib/errors.ts';
import type { StatusCause } from '../decide/conclusion.ts';
import type { ConcludeInput, Ended } from './conclusion.ts';
import { causeOf, extended, isLogged, levelOf } from './failure-streak.ts';
import { failureOf, internalFailure, type ReconcileFailure, shownFailure } from './failures.ts';
import { suspensionEndOf } from './known-ends.ts';
import { onEvent, nextAfterFailure, nextAt } from './next-reconcile.ts';
import type { OutcomeOf } from './outcome.ts';
import { backoffDelayMs, freshLeftMs, type NextReconcile, slowDelayMs } from './schedule.ts';

/** With jitter 30 s: the longest delay of a status write after the API server has recovered. */
const longestErrorDelayMs = 25_000;

/** The connection waits or pauses, so the scope was not listed. */
export function concludeBlocked(input: ConcludeInput, failure: ReconcileFailure): Ended {
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
export function concludeFailed(input: ConcludeInput, { error }: OutcomeOf<'Failed'>): Ended {
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
export function concludeBroken({ state, policies, isStopping }: ConcludeInput, error: unknown): Ended {
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
