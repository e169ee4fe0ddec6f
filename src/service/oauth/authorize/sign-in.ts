// Checks passwords. A comparison is slow on purpose and uses the threads that also sign tokens. So only a few comparisons run
// concurrently, a few more wait, and further ones are refused.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

import type { Clock } from '../../../lib/clock.ts';
import { createAttemptLimit, type LoginAttempt, type AttemptBounds } from '../attempt-limit.ts';
import type { Registrations, ServiceUser } from '../registrations.ts';

export const signInBounds: AttemptBounds = { wrongByAddress: 10, wrongByName: 100 };

/** Concurrent comparisons; Node has four threads for such work. */
const runningAtOnce = 2;

const waitingAtOnce = 16;

/** `busy`: too many concurrent sign-ins; the password was not checked. */
export type SignInOutcome = 'right' | 'wrong' | 'too-often' | 'busy';

export interface SignIn {
  check(attempt: LoginAttempt, password: string): Promise<SignInOutcome>;
}

export function createSignIn(registrations: Registrations, clock: Clock): SignIn {
  const attempts = createAttemptLimit(signInBounds, clock);
  const salt = randomBytes(16);
  /** Stretched passwords of registered users, and one for unknown names. */
  const stretched = new Map<string, Promise<Buffer>>();
  const waiting: (() => void)[] = [];
  let running = 0;

  const expectedOf = (user: ServiceUser | undefined) => {
    const name = user?.name ?? '';
    const known = stretched.get(name) ?? stretch(user?.password.reveal() ?? '', salt);
    stretched.set(name, known);
    return known;
  };

  const compare = async ({ name }: LoginAttempt, password: string) => {
    if (running < runningAtOnce) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      const user = registrations.user(name);
      const isSame = timingSafeEqual(await expectedOf(user), await stretch(password, salt));
      return isSame && user !== undefined;
    } finally {
      const next = waiting.shift();
      // The next waiting comparison takes over the permit.
      if (next) next();
      else running -= 1;
    }
  };

  return {
    async check(attempt, password) {
      if (attempts.isClosed(attempt)) return 'too-often';
      if (running >= runningAtOnce && waiting.length >= waitingAtOnce) return 'busy';
      // Count before the slow comparison, so that concurrent attempts cannot bypass the limit.
      attempts.noteFailure(attempt);
      if (!(await compare(attempt, password))) return 'wrong';
      attempts.forget(attempt);
      return 'right';
    },
  };
}

/** Slow on purpose, with the same duration for every name. */
function stretch(password: string, salt: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, 32, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
