// Checks passwords. A comparison is slow on purpose and uses the threads that also sign tokens. So only a few comparisons run
// concurrently, a few more wait, and further ones are refused. Addresses take turns, so that none can keep the others out, and names that
// signed in at their address before have a line of their own.
import { availableParallelism } from 'node:os';

import { clientNetwork } from '../../../lib/ip-address.ts';
import type { AttemptBounds, AttemptLimit, LoginAttempt } from '../attempt-limit.ts';
import { createPasswordCheck, type PasswordCheck } from '../password-check.ts';
import type { Registrations } from '../registrations.ts';
import { createTurnQueue, type TurnQueue, type TurnQueueBounds } from '../turn-queue.ts';

export const signInBounds: AttemptBounds = { wrongByAddress: 10, wrongByName: 100, wrongFromAddress: 100 };

/** Each comparison keeps a processor busy. One processor remains for all other requests, and two of Node's four threads for signatures. */
export function concurrentComparisons(processors: number): number {
  return Math.max(1, Math.min(2, processors - 1));
}

/** Comparisons. */
export const signInQueue: TurnQueueBounds = {
  running: concurrentComparisons(availableParallelism()),
  waitingOfGroup: 16,
  waiting: 64,
};

/** `busy`: too many concurrent sign-ins; the password was not checked. */
export type SignInOutcome = 'right' | 'wrong' | 'too-often' | 'busy';

export interface SignIn {
  check(attempt: LoginAttempt, password: string): Promise<SignInOutcome>;
}

export interface SignInDeps {
  readonly registrations: Registrations;
  readonly attempts: AttemptLimit;
  /** Shared by all slow comparisons. */
  readonly queue?: TurnQueue;
  readonly isRight?: PasswordCheck;
}

export function createSignIn({
  registrations,
  attempts,
  queue = createTurnQueue(signInQueue),
  isRight = createPasswordCheck(),
}: SignInDeps): SignIn {
  const compare = async (attempt: LoginAttempt, password: string): Promise<SignInOutcome> => {
    // Count before the slow comparison, so that concurrent attempts cannot bypass the limit.
    if (!(await attempts.noteFailure(attempt))) return 'too-often';
    const user = registrations.user(attempt.name);
    if (!(await isRight(user, password, registrations.passwordCost))) return 'wrong';
    await attempts.forget(attempt);
    await attempts.noteSuccess(attempt);
    return 'right';
  };

  return {
    async check(attempt, password) {
      if (await attempts.isClosed(attempt)) return 'too-often';
      const place = { group: clientNetwork(attempt.address ?? ''), isKnown: await attempts.isKnown(attempt) };
      const outcome = await queue.run(place, () => compare(attempt, password));
      return outcome ?? 'busy';
    },
  };
}
