// Whether a person is who they say. Comparing is slow on purpose, so only a few comparisons run at a time, a few more wait, and
// the rest are told to come back: the threads that do it are also those that sign tokens.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

import type { Clock } from '../../../lib/clock.ts';
import { createAttemptLimit, type Attempt, type AttemptBounds } from '../attempt-limit.ts';
import type { Registrations, ServiceUser } from '../registrations.ts';

export const signInBounds: AttemptBounds = { wrongByAddress: 10, wrongByName: 100 };

/** Comparisons at a time, of the four threads that Node has for such work. */
const runningAtOnce = 2;

const waitingAtOnce = 16;

/** `busy`: too many people at once; nothing was looked at. */
export type SignInOutcome = 'right' | 'wrong' | 'too-often' | 'busy';

export interface SignIn {
  check(attempt: Attempt, password: string): Promise<SignInOutcome>;
}

export function createSignIn(registrations: Registrations, clock: Clock): SignIn {
  const attempts = createAttemptLimit(signInBounds, clock);
  const salt = randomBytes(16);
  /** Of registered users, and one for everybody else. */
  const stretched = new Map<string, Promise<Buffer>>();
  const waiting: (() => void)[] = [];
  let running = 0;

  const expectedOf = (user: ServiceUser | undefined) => {
    const name = user?.name ?? '';
    const known = stretched.get(name) ?? stretch(user?.password.reveal() ?? '', salt);
    stretched.set(name, known);
    return known;
  };

  const compare = async ({ name }: Attempt, password: string) => {
    if (running < runningAtOnce) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      const user = registrations.user(name);
      const isSame = timingSafeEqual(await expectedOf(user), await stretch(password, salt));
      return isSame && user !== undefined;
    } finally {
      const next = waiting.shift();
      // Whoever waits takes the place over.
      if (next) next();
      else running -= 1;
    }
  };

  return {
    async check(attempt, password) {
      if (attempts.isClosed(attempt)) return 'too-often';
      if (running >= runningAtOnce && waiting.length >= waitingAtOnce) return 'busy';
      // Counted before the slow comparison: many at once are not a way around.
      attempts.noteFailure(attempt);
      if (!(await compare(attempt, password))) return 'wrong';
      attempts.forget(attempt);
      return 'right';
    },
  };
}

/** Slow on purpose, and the same time for every name. */
function stretch(password: string, salt: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, 32, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
