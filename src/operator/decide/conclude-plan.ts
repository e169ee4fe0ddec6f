// Concludes a reconcile with a complete list: its plan was sent, in part or as a whole, or was outdated.
import type { CodedError } from '../../lib/errors.ts';
import type { StatusCause } from '../decide/conclusion.ts';
import type { ConcludeInput, ReconcileResult, LogLine, Ended } from './conclusion.ts';
import { causeOf, extended, isLogged, levelOf, noStreak } from './failure-streak.ts';
import { failureOf, shownFailure } from './failures.ts';
import { firstEndMs } from './known-ends.ts';
import { atOnce, nextAfterFailure, nextAt } from './next-reconcile.ts';
import type { ListedPlan, OutcomeOf, Planned } from './outcome.ts';
import type { PolicyInput } from './plan-input.ts';
import { backoffDelayMs } from './schedule.ts';

const recordEveryOutdated = 4;

/**
 * The caches or a newer list contradict the plan. If they keep doing so, the delay grows, and every fourth plan is
 * recorded.
 */
export function concludeOutdated(input: ConcludeInput, { detail, listed }: OutcomeOf<'Outdated'>): Ended {
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
export function concludePlanned(input: ConcludeInput, outcome: Planned): Ended {
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
