// Whether a person is who they say. Guessing is made slow: after some wrong passwords for a name, that name has to wait.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

import type { Clock } from '../../lib/clock.ts';
import type { Registrations, ServiceUser } from './registrations.ts';

/** Wrong passwords for one name within `windowMs` before it has to wait for the window's end. */
const wrongPasswords = 10;
const windowMs = 60_000;

/** Comparisons take memory and a processor each. More than this many at a time are not begun. */
const checksAtOnce = 16;

/** Names that are counted; a flood of made-up ones only makes us forget earlier ones. */
const namesKept = 10_000;

/** `busy`: too many people at once; nothing was looked at. */
export type SignInOutcome = 'right' | 'wrong' | 'too-often' | 'busy';

export interface SignIn {
  check(name: string, password: string): Promise<SignInOutcome>;
}

interface Failures {
  count: number;
  readonly sinceMs: number;
}

export function createSignIn(registrations: Registrations, clock: Clock): SignIn {
  const failures = new Map<string, Failures>();
  const salt = randomBytes(16);
  /** Of registered users, and one for everybody else. */
  const stretched = new Map<string, Promise<Buffer>>();
  let checking = 0;

  const expectedOf = (user: ServiceUser | undefined) => {
    const name = user?.name ?? '';
    const known = stretched.get(name) ?? stretch(user?.password.reveal() ?? '', salt);
    stretched.set(name, known);
    return known;
  };

  const recentOf = (name: string) => {
    const known = failures.get(name);
    return known && clock.monotonic() - known.sinceMs < windowMs ? known : undefined;
  };

  const noteFailure = (name: string) => {
    const recent = recentOf(name);
    if (recent) {
      recent.count += 1;
      return;
    }
    if (failures.size >= namesKept) failures.clear();
    failures.set(name, { count: 1, sinceMs: clock.monotonic() });
  };

  const compare = async (name: string, password: string) => {
    const user = registrations.user(name);
    const isSame = timingSafeEqual(await expectedOf(user), await stretch(password, salt));
    return isSame && user !== undefined;
  };

  return {
    async check(name, password) {
      if ((recentOf(name)?.count ?? 0) >= wrongPasswords) return 'too-often';
      if (checking >= checksAtOnce) return 'busy';
      // Counted before the slow comparison: many at once are not a way around.
      noteFailure(name);
      checking += 1;
      try {
        if (!(await compare(name, password))) return 'wrong';
        failures.delete(name);
        return 'right';
      } finally {
        checking -= 1;
      }
    },
  };
}

/** Slow on purpose, and the same time for every name. */
function stretch(password: string, salt: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, 32, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
