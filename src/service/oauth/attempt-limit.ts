// Limits wrong credentials of one kind: counts failures within a minute by name and network, and by network. A name that succeeded from a
// network before has only the first bound there, so that strangers who share the network do not lock it out. Everything is in memory, and
// ends with the process.
import type { Clock } from '../../lib/clock.ts';
import { clientNetwork } from '../../lib/ip-address.ts';
import { createRecentKeys } from '../recent-keys.ts';
import { tokenKey } from './secret-hash.ts';

/** Length of the window of a key, which begins with its first failure, and the maximum lockout. */
export const attemptWindowMs = 60_000;

/** Failures in a minute. */
export interface AttemptBounds {
  /** Of one name from one network. Absent: no bound. */
  readonly ofName?: number;
  /** Of all names from one network. */
  readonly ofNetwork: number;
}

export interface LoginAttempt {
  /** Empty for a credential that belongs to no name. */
  readonly name: string;
  /** The address of the client; undefined without a socket. */
  readonly address: string | undefined;
}

export interface AttemptLimit {
  /** True when the attempt must be refused without checking its secret. */
  isClosed(attempt: LoginAttempt): boolean;
  /** False when the attempt must be refused; then it does not count. */
  noteFailure(attempt: LoginAttempt): boolean;
  /** Takes back the failures of the name from its network. From now on, failures of others do not close it there. */
  noteSuccess(attempt: LoginAttempt): void;
  /** Forgets everything. */
  reset(): void;
}

/** Keys with failures in one table, and names that succeeded; about 200 bytes each. */
const mostKeys = 10_000;

export function createAttemptLimit({ ofName = Infinity, ofNetwork }: AttemptBounds, clock: Clock): AttemptLimit {
  const names = new FailureCounts(clock);
  const networks = new FailureCounts(clock);
  let known = createRecentKeys(mostKeys);

  const keysOf = ({ name, address = '' }: LoginAttempt) => {
    const network = clientNetwork(address);
    // A hash, because a name may have any length.
    return { network, own: tokenKey(JSON.stringify([name, network])) };
  };
  const isOver = ({ own, network }: ReturnType<typeof keysOf>) =>
    names.countOf(own) >= ofName || (networks.countOf(network) >= ofNetwork && !known.has(own));

  return {
    isClosed: (attempt) => (names.isEmpty && networks.isEmpty ? false : isOver(keysOf(attempt))),
    noteFailure(attempt) {
      const keys = keysOf(attempt);
      if (isOver(keys)) return false;
      if (ofName !== Infinity) names.add(keys.own, 1);
      if (!known.has(keys.own)) networks.add(keys.network, 1);
      return true;
    },
    noteSuccess(attempt) {
      const { own, network } = keysOf(attempt);
      if (!known.has(own)) networks.add(network, -names.countOf(own));
      names.delete(own);
      known.add(own);
    },
    reset() {
      names.clear();
      networks.clear();
      known = createRecentKeys(mostKeys);
    },
  };
}

/** Failures by key, each in its window. When the table is full, the oldest window makes room. */
class FailureCounts {
  readonly #clock: Clock;
  /** In the order in which the windows began. */
  readonly #windows = new Map<string, { count: number; readonly sinceMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#windows.size === 0;
  }

  countOf(key: string): number {
    const window = this.#windows.get(key);
    return window && this.#clock.monotonic() - window.sinceMs < attemptWindowMs ? window.count : 0;
  }

  add(key: string, failures: number): void {
    const nowMs = this.#clock.monotonic();
    for (const [oldest, { sinceMs }] of this.#windows) {
      if (nowMs - sinceMs < attemptWindowMs && this.#windows.size <= mostKeys) break;
      this.#windows.delete(oldest);
    }
    const window = this.#windows.get(key);
    if (window) window.count = Math.max(0, window.count + failures);
    else if (failures > 0) this.#windows.set(key, { count: failures, sinceMs: nowMs });
  }

  delete(key: string): void {
    this.#windows.delete(key);
  }

  clear(): void {
    this.#windows.clear();
  }
}
