// Checks passwords. A comparison is slow on purpose and uses the threads that also sign tokens. So only a few comparisons run
// concurrently, a few more wait, and further ones are refused.
import { availableParallelism } from 'node:os';

import { clientNetwork } from '../../../lib/ip-address.ts';
import type { AttemptBounds, AttemptLimit, LoginAttempt } from '../attempt-limit.ts';
import { createComparisons, type ComparisonBounds, type Comparisons } from '../comparisons.ts';
import { createPasswordCheck, type PasswordCheck } from '../password-check.ts';
import type { Registrations } from '../registrations.ts';

export const signInBounds: AttemptBounds = { ofName: 10, ofNetwork: 100 };

/** Each comparison keeps a processor busy. One processor remains for all other requests, and two of Node's four threads for signatures. */
export function concurrentComparisons(processors: number): number {
  return Math.max(1, Math.min(2, processors - 1));
}

/** Comparisons. */
export const comparisonBounds: ComparisonBounds = {
  running: concurrentComparisons(availableParallelism()),
  waiting: 64,
  waitingOfNetwork: 16,
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
  readonly comparisons?: Comparisons;
  readonly isRight?: PasswordCheck;
}

export function createSignIn({
  registrations,
  attempts,
  comparisons = createComparisons(comparisonBounds),
  isRight = createPasswordCheck(),
}: SignInDeps): SignIn {
  const compare = async (attempt: LoginAttempt, password: string): Promise<SignInOutcome> => {
    // Count before the slow comparison, so that concurrent attempts cannot bypass the limit.
    if (!attempts.noteFailure(attempt)) return 'too-often';
    const user = registrations.user(attempt.name);
    if (!(await isRight(user, password, registrations.passwordCost))) return 'wrong';
    attempts.noteSuccess(attempt);
    return 'right';
  };

  return {
    async check(attempt, password) {
      if (attempts.isClosed(attempt)) return 'too-often';
      const outcome = await comparisons.run(clientNetwork(attempt.address ?? ''), () => compare(attempt, password));
      return outcome ?? 'busy';
    },
  };
}
