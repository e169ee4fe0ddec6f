// Failures in a row with the same cause. The log has the first, second, fourth, eighth … of them as a warning and the others at debug,
// so that a failure that lasts for weeks does not fill it.
import type { ReconcileFailure } from './failures.ts';

export interface FailureStreak {
  /** Empty without a failure. */
  readonly cause: string;
  readonly count: number;
}

export const noStreak: FailureStreak = { cause: '', count: 0 };

/** The streak after one more failure with that cause. */
export function extended(streak: FailureStreak, cause: string): FailureStreak {
  return { cause, count: streak.cause === cause ? streak.count + 1 : 1 };
}

/** The reason of the connection, or of the policies while the connection works. */
export function causeOf({ connection, reason }: ReconcileFailure): string {
  return connection === 'Connected' ? reason : connection;
}

/** The streak of the whole connection; a failure of one scope, and a complete list, end it. */
export function connectionStreakAfter(
  streak: FailureStreak,
  failure: Pick<ReconcileFailure, 'connection'> | undefined,
): FailureStreak {
  return failure === undefined || failure.connection === 'Connected' ? noStreak : extended(streak, failure.connection);
}

/** `streak`: of the scope. What fails on every scope of a connection is repeated from its second scope on. */
export function levelOf(
  { connectionStreak }: { readonly connectionStreak: FailureStreak },
  streak: FailureStreak,
  failure: ReconcileFailure,
): 'warn' | 'debug' {
  const ofConnection = connectionStreakAfter(connectionStreak, failure);
  return isLogged(Math.max(streak.count, ofConnection.count)) ? 'warn' : 'debug';
}

/** True for the first, second, fourth, eighth … in a row. */
export function isLogged(count: number): boolean {
  return (count & (count - 1)) === 0;
}
