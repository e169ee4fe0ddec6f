// Concludes a reconcile: turns its outcome into the statuses, the counters of the scope, what the connection learns,
// the log line, the metric result and the time of the next reconcile. Pure; carry-out.ts and record-statuses.ts of the
// controller apply it.
import type { StatusCause } from '../decide/conclusion.ts';
import { concludeBlocked, concludeFailed, concludeBroken } from './conclude-failure.ts';
import { concludeOutdated, concludePlanned } from './conclude-plan.ts';
import type { ConcludeInput, Conclusion, Ended } from './conclusion.ts';
import { suspensionEndOf } from './known-ends.ts';
import { atOnce, nextAt, onEvent } from './next-reconcile.ts';
import type { Outcome } from './outcome.ts';

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

function ended(input: ConcludeInput, outcome: Outcome): Ended {
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
function concludeSuspended(input: ConcludeInput): Ended {
  const endMs = suspensionEndOf(input.policies, input.gatheredMs);
  const next = endMs === undefined ? onEvent : nextAt(endMs, input.intervalMs);
  return { ...concludeResting(input, { kind: 'suspended' }), next };
}

/** Writes the statuses once and waits for an event. */
function concludeResting({ policies }: ConcludeInput, status: StatusCause): Ended {
  return {
    result: 'skipped',
    next: onEvent,
    use: 'Resting',
    statuses: new Map(policies.map(({ key }) => [key, status])),
  };
}
