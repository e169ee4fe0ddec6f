// Whether a person is who they say. Guessing is made slow: after some wrong passwords for a name, that name has to wait.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

import type { Clock } from '../../lib/clock.ts';
import type { Registrations } from './registrations.ts';

/** Wrong passwords for one name within `windowMs` before it has to wait for the window's end. */
const wrongPasswords = 10;
const windowMs = 60_000;

/** Names that are counted; a flood of made-up ones only makes us forget earlier ones. */
const namesKept = 10_000;

export type SignInOutcome = 'right' | 'wrong' | 'too-often';

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

  return {
    async check(name, password) {
      if ((recentOf(name)?.count ?? 0) >= wrongPasswords) return 'too-often';
      // Counted before the slow comparison: many at once are not a way around.
      noteFailure(name);
      const user = registrations.user(name);
      const expected = await stretch(user?.password.reveal() ?? '', salt);
      const isSame = timingSafeEqual(expected, await stretch(password, salt));
      if (!isSame || !user) return 'wrong';
      failures.delete(name);
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
