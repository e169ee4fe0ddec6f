// What a conclusion is made from and what it decides.
import type { CodedError } from '../../lib/errors.ts';
import type { LedgerNews } from '../dismissals/ledger.ts';
import type { PolicyDecision } from './decisions.ts';
import type { FailureStreak } from './failure-streak.ts';
import type { ReconcileFailure } from './failures.ts';
import type { Correction } from './memory.ts';
import type { Outcome } from './outcome.ts';
import type { PolicyInput } from './plan-input.ts';
import type { NextReconcile } from './schedule.ts';
import type { EndCounts, ScopeState } from './scope-state.ts';

export interface ConcludeInput {
  readonly outcome: Outcome;
  readonly state: ScopeState;
  /** Policies that reach the scope through this connection. */
  readonly policies: readonly PolicyInput[];
  /** True while the connection or its namespace is being deleted: then no policy shows anything else. */
  readonly isEnding: boolean;
  readonly intervalMs: number;
  /** When the policies were gathered; milliseconds since 1970. */
  readonly gatheredMs: number;
  /** True during a pause that the service asked for. */
  readonly isPaused: boolean;
  /** True when a refused credential is known to be refused on this scope only. */
  readonly isRefusedHereOnly: boolean;
  /** The last failures of the whole connection. */
  readonly connectionStreak: FailureStreak;
  /** True when the work queue is stopping. */
  readonly isStopping: boolean;
  readonly monotonicMs: number;
}

/**
 * How a reconcile ended. `unverified`: a PATCH was sent, and no list has shown its effect. `failed`: because of the
 * service. `error`: because of the API server or a bug. `skipped`: nothing was to be listed, or the wait was aborted.
 */
export type ReconcileResult = 'unchanged' | 'corrected' | 'unverified' | 'failed' | 'skipped' | 'error';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * How the connection treats the scope from now on. `Forgotten`: it drops the state of the scope. `Resting`: it does not
 * list the scope until an event. `Kept`: as before.
 */
type ScopeUse = 'Forgotten' | 'Resting' | 'Kept';

/** What one policy's status shows of a reconcile. */
export type StatusCause =
  | { readonly kind: 'listed'; readonly decision: PolicyDecision; readonly corrections: readonly Correction[] }
  | { readonly kind: 'failed'; readonly failure: ReconcileFailure; readonly isStale: boolean }
  | { readonly kind: 'suspended' }
  | { readonly kind: 'access-denied' }
  | { readonly kind: 'no-connection' }
  | { readonly kind: 'connection-deleting' };

export interface Conclusion {
  readonly result: ReconcileResult;
  readonly next: NextReconcile;
  readonly counts: Partial<EndCounts>;
  readonly use: ScopeUse;
  /** What the lists of the attempt showed about the ledger. */
  readonly ledger: LedgerNews | undefined;
  readonly corrections: readonly Correction[];
  /** Set when the outcome says something about the connection; without an error, the connection works. */
  readonly connection: { readonly error: CodedError | undefined } | undefined;
  /** True when the service does not know the scope; every entry of the scope then counts as missing. */
  readonly isScopeMissing: boolean;
  readonly log: LogLine | undefined;
  /** By policy key: what its status shows. Other policies keep their status. */
  readonly statuses: ReadonlyMap<string, StatusCause>;
}

export type Ended = Partial<Conclusion> & Pick<Conclusion, 'result' | 'next'>;
