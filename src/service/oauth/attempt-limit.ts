// Limits failed logins. Counts failed attempts within a minute by name and address, and with a higher bound by name alone. So an
// attacker cannot easily lock out another user, and a distributed attack still guesses slowly.
import type { Clock } from '../../lib/clock.ts';
import { hashSecret } from './secret-hash.ts';

/** Length of the counting window, and the maximum lockout. */
export const attemptWindowMs = 60_000;

/** Maximum number of counted keys; above it all counts are dropped, so a flood of invented names cannot exhaust the memory. */
const keysKept = 10_000;

export interface AttemptBounds {
  readonly wrongByAddress: number;
  readonly wrongByName: number;
}

export interface LoginAttempt {
  readonly name: string;
  /** The remote address; undefined without a socket. */
  readonly address: string | undefined;
}

export interface AttemptLimit {
  /** True when the attempt must be refused without checking its secret. */
  isClosed(attempt: LoginAttempt): boolean;
  noteFailure(attempt: LoginAttempt): void;
  /** Takes back the failure noted for an attempt that then succeeded, and forgets earlier ones from its address. */
  forget(attempt: LoginAttempt): void;
}

interface Failures {
  count: number;
  readonly sinceMs: number;
}

export function createAttemptLimit({ wrongByAddress, wrongByName }: AttemptBounds, clock: Clock): AttemptLimit {
  const failures = new Map<string, Failures>();

  const recentOf = (key: string) => {
    const known = failures.get(key);
    return known && clock.monotonic() - known.sinceMs < attemptWindowMs ? known : undefined;
  };

  const note = (key: string) => {
    const recent = recentOf(key);
    if (recent) {
      recent.count += 1;
      return;
    }
    if (failures.size >= keysKept) failures.clear();
    failures.set(key, { count: 1, sinceMs: clock.monotonic() });
  };

  return {
    isClosed(attempt) {
      const ofAddress = recentOf(addressKey(attempt))?.count ?? 0;
      return ofAddress >= wrongByAddress || (recentOf(nameKey(attempt))?.count ?? 0) >= wrongByName;
    },
    noteFailure(attempt) {
      note(addressKey(attempt));
      note(nameKey(attempt));
    },
    forget(attempt) {
      failures.delete(addressKey(attempt));
      const ofName = recentOf(nameKey(attempt));
      if (ofName) ofName.count -= 1;
    },
  };
}

/** A hash, because names may have any length. */
const keyOf = (text: string) => Buffer.from(hashSecret(text)).toString('base64');
const nameKey = ({ name }: LoginAttempt) => keyOf(name);
const addressKey = ({ name, address = '' }: LoginAttempt) => keyOf(`${name}\n${address}`);
