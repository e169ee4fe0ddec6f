// Limits failed logins of one kind of credential. Counts failures within a minute by name and address, with a higher bound by name
// alone, and by address alone. So an attacker cannot lock out a user at an address where that user has signed in, a distributed attack
// still guesses slowly, and one address cannot try many names.
import { clientNetwork } from '../../lib/ip-address.ts';
import { thenOrNow, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { AttemptCounters, BoundedKey } from './attempt-counters.ts';
import type { KnownCallers } from './known-callers.ts';
import { hashSecret } from './secret-hash.ts';

/** The kinds of credentials. Failures of one kind never close another. */
export type CredentialKind = 'password' | 'client-secret' | 'assertion' | 'code' | 'access-token' | 'admin-token';

/** Failures in a minute. Absent: no bound. */
export interface AttemptBounds {
  /** Of one name from one address. */
  readonly wrongByAddress?: number;
  /** Of one name from all addresses. */
  readonly wrongByName?: number;
  /** Of all names from one address. */
  readonly wrongFromAddress?: number;
}

export interface LoginAttempt {
  /** Empty for a credential that belongs to no name. */
  readonly name: string;
  /** The address of the client; undefined without a socket. */
  readonly address: string | undefined;
}

export interface AttemptLimit {
  /** True when the attempt must be refused without checking its secret. */
  isClosed(attempt: LoginAttempt): MaybePromise<boolean>;
  /** True when the name succeeded at the address before. */
  isKnown(attempt: LoginAttempt): MaybePromise<boolean>;
  /** False when the attempt must be refused; then it does not count. */
  noteFailure(attempt: LoginAttempt): MaybePromise<boolean>;
  /** The attempt succeeded: from now on, failures with other names or at other addresses do not close this name at this address. */
  noteSuccess(attempt: LoginAttempt): MaybePromise<void>;
  /**
   * Takes back the failure noted for an attempt that then succeeded, the same object, and forgets earlier ones of its name and
   * address.
   */
  forget(attempt: LoginAttempt): MaybePromise<void>;
}

export function createAttemptLimit(
  kind: CredentialKind,
  bounds: AttemptBounds,
  counters: AttemptCounters,
  known: KnownCallers,
): AttemptLimit {
  const boundedOf = (keys: AttemptKeys) => {
    const bounded: BoundedKey[] = [];
    const add = (key: string, bound: number | undefined) => bound !== undefined && bounded.push({ key, bound });
    add(keys.both, bounds.wrongByAddress);
    if (known.has(keys.both)) return bounded;
    add(keys.name, bounds.wrongByName);
    add(keys.address, bounds.wrongFromAddress);
    return bounded;
  };

  /** What each failure counted besides its name and address together: what is known may change until it is taken back. */
  const countedFor = new WeakMap<LoginAttempt, readonly string[]>();

  const isClosedFor = (keys: AttemptKeys) => counters.isClosed(boundedOf(keys));

  /** Asks for what succeeded in other processes, if that may have changed. */
  const isKnown = (keys: AttemptKeys): MaybePromise<boolean> => {
    if (known.has(keys.both)) return true;
    const refreshing = known.refresh();
    return refreshing ? refreshing.then(() => known.has(keys.both)) : false;
  };

  return {
    isClosed(attempt) {
      const keys = attemptKeys(kind, attempt);
      const wasKnown = known.has(keys.both);
      return thenOrNow(isClosedFor(keys), (isClosed) => {
        if (!isClosed || wasKnown) return isClosed;
        return thenOrNow(isKnown(keys), (isKnownNow) => (isKnownNow ? isClosedFor(keys) : true));
      });
    },
    isKnown: (attempt) => isKnown(attemptKeys(kind, attempt)),
    noteFailure(attempt) {
      const keys = attemptKeys(kind, attempt);
      const bounded = boundedOf(keys);
      countedFor.set(
        attempt,
        bounded.flatMap(({ key }) => (key === keys.both ? [] : [key])),
      );
      return counters.count(bounded);
    },
    noteSuccess: (attempt) => known.add(attemptKeys(kind, attempt).both),
    forget(attempt) {
      const keys = attemptKeys(kind, attempt);
      return thenOrNow(counters.takeBack(countedFor.get(attempt) ?? []), () => counters.forget(keys.both));
    },
  };
}

/** The keys of an attempt: hashes, because names may have any length. */
interface AttemptKeys {
  readonly both: string;
  readonly name: string;
  readonly address: string;
}

function attemptKeys(kind: CredentialKind, { name, address = '' }: LoginAttempt): AttemptKeys {
  const network = clientNetwork(address);
  const keyOf = (...parts: readonly string[]) =>
    Buffer.from(hashSecret(JSON.stringify([kind, ...parts]))).toString('base64');
  return { both: keyOf('both', name, network), name: keyOf('name', name), address: keyOf('address', network) };
}
