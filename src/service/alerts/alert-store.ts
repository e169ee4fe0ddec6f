// The port to the stored alerts of every scope. A write is on disk once its call has returned, or its promise has resolved. Scopes and
// alert names are case-insensitive. Callers check alerts with alert-shape.ts before they store them.
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { ChangeCause } from '../audit/audit-record.ts';
import type { SqlQueries } from '../database/sql.ts';
import type { Modifier, StoredAlert } from './alert-document.ts';

/** A part of a scope's list, in the order in which the alerts were first stored. */
export interface StoredPage {
  /** JSON texts of complete alerts, separated by commas. */
  readonly text: string;
  /** Position of the last alert of this page; absent on the last page. */
  readonly lastPosition?: number;
}

export interface PageRequest {
  readonly scope: string;
  /** Position of the last alert already seen; 0 for the first page. */
  readonly after: number;
  readonly limit: number;
}

export interface ActiveChange {
  readonly scope: string;
  readonly alertName: string;
  readonly isActive: boolean;
  readonly modifier: Modifier;
  /** For the audit trail, which records a change of the flag in the same transaction. Absent: no record. */
  readonly cause?: ChangeCause | undefined;
}

export type ChangeOutcome = 'changed' | 'unchanged' | 'scope-unknown' | 'alert-unknown';

export interface AlertCounts {
  readonly active: number;
  readonly inactive: number;
}

/** What a store does, in a transaction or without one. */
export interface AlertOperations {
  isEmpty(): MaybePromise<boolean>;
  /** Undefined for an unknown scope; a known scope may have no alerts. */
  readPage(page: PageRequest): MaybePromise<StoredPage | undefined>;
  /** JSON text of the whole alert; undefined when it does not exist. */
  readAlert(scope: string, alertName: string): MaybePromise<string | undefined>;
  /** Sets `isActive` and, when it changes, `systemData`. */
  changeActive(change: ActiveChange): MaybePromise<ChangeOutcome>;
  /** Removes the scope with its alerts. Idempotent. */
  removeScope(scope: string): MaybePromise<void>;
  /** Creates the scope. Idempotent. */
  addScope(scope: string): MaybePromise<void>;
  /** Adds the alert at the end of the scope's list, or replaces it in its place. */
  putAlert(scope: string, alert: StoredAlert): MaybePromise<void>;
  /** False when the alert does not exist. */
  removeAlert(scope: string, alertName: string): MaybePromise<boolean>;
  /** Replaces the incidents as a scan does; false when the alert does not exist. */
  replaceIncidents(
    scope: string,
    alertName: string,
    incidents: readonly unknown[],
    nowMs: number,
  ): MaybePromise<boolean>;
  /** Linear in the number of alerts. */
  countAlerts(): MaybePromise<AlertCounts>;
}

/** The store within a transaction, and the small tables of the same database. */
export interface AlertTransaction extends AlertOperations {
  readonly sql: SqlQueries;
}

export interface AlertStore extends AlertOperations {
  /**
   * Runs `work` in one transaction, and rolls back when it fails. `work` must use only `tx`: a call of the store itself would wait for
   * the end of the transaction. Nothing outside sees a part of it. PostgreSQL runs `work` again after a conflict, so it must have no other
   * effect.
   */
  transaction<T>(work: (tx: AlertTransaction) => MaybePromise<T>): MaybePromise<T>;
}
