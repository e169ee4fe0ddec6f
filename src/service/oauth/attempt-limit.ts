// Guessing is made slow. Wrong tries are counted within a minute, by name and the address that they come from, and with a higher
// bound by name alone: so a stranger cannot easily keep somebody else waiting, and many strangers together still guess slowly.
import type { Clock } from '../../lib/clock.ts';
import { hashSecret } from './secret-hash.ts';

/** How long is counted, and the longest that anybody has to wait. */
export const attemptWindowMs = 60_000;

/** Names and addresses that are counted; a flood of made-up ones only makes us forget earlier ones. */
const keysKept = 10_000;

export interface AttemptBounds {
  readonly wrongByAddress: number;
  readonly wrongByName: number;
}

export interface Attempt {
  readonly name: string;
  /** Where it comes from; undefined when it came over no socket. */
  readonly address: string | undefined;
}

export interface AttemptLimit {
  /** True when it is not to be looked at: right or wrong, it has to wait. */
  isClosed(attempt: Attempt): boolean;
  noteFailure(attempt: Attempt): void;
  /** After a right one. */
  forget(attempt: Attempt): void;
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

/** Names are of any length, hashes are not. */
const keyOf = (text: string) => Buffer.from(hashSecret(text)).toString('base64');
const nameKey = ({ name }: Attempt) => keyOf(name);
const addressKey = ({ name, address = '' }: Attempt) => keyOf(`${name}\n${address}`);
