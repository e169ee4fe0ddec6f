// One SQLite connection that several callers share: a transaction may wait within, and everything else waits until it has ended. So a
// caller never reads what another has not committed.
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';

import { endWith, thenOrNow, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { Sql, SqlQueries, SqlRow, SqlValue } from './sql.ts';
import { createTurns, type TakeTurn } from './turns.ts';

export interface SqliteConnection {
  readonly database: DatabaseSync;
  /** For work outside a transaction. */
  readonly takeTurn: TakeTurn;
  /** Runs `work` in one transaction: synchronously if the connection is free and `work` does not wait. */
  readonly transaction: TakeTurn;
  /** For work within a transaction: takes no turn. */
  readonly queries: SqlQueries;
  readonly sql: Sql;
}

/** The database must have the tables of data-file-tables.ts. `afterCommit` follows each transaction, and fails it when it throws. */
export function createSqliteConnection(database: DatabaseSync, afterCommit?: () => void): SqliteConnection {
  const takeTurn = createTurns();
  const queries = createQueries(database);
  const transaction = <T>(work: () => MaybePromise<T>) => takeTurn(() => inTransaction(database, work, afterCommit));
  const sql: Sql = {
    query: async (text, parameters) => takeTurn(() => queries.query(text, parameters)),
    transaction: async (work) => transaction(() => work(queries)),
  };
  return { database, takeTurn, transaction, queries, sql };
}

function createQueries(database: DatabaseSync): SqlQueries {
  // One entry for each text in the source.
  const prepared = new Map<string, StatementSync>();
  const prepare = (text: string) => {
    const statement = prepared.get(text) ?? database.prepare(text);
    prepared.set(text, statement);
    return statement;
  };
  return { query: async (text, parameters = []) => prepare(text).all(named(parameters)).map(toRow) };
}

/** SQLite takes `$1` for a name. Throws for a fraction, which SQLite would keep in a column of whole numbers. */
export function named(parameters: readonly SqlValue[]): Record<string, SqlValue> {
  return Object.fromEntries(parameters.map((value, index) => [`$${index + 1}`, whole(value)]));
}

function whole(value: SqlValue): SqlValue {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  throw new RangeError(`${value} is no whole number within ±2^53.`);
}

function toRow(row: Record<string, SQLOutputValue>): SqlRow {
  // The statements of this connection return no bigint (setReadBigInts), but throw for a number that needs one.
  return { ...row } as SqlRow;
}

/** Runs `work` in one transaction, and rolls back when it fails. Do not nest. */
export function inTransaction<T>(
  database: DatabaseSync,
  work: () => MaybePromise<T>,
  afterCommit?: () => void,
): MaybePromise<T> {
  database.exec('BEGIN IMMEDIATE');
  const commit = (result: T) => {
    database.exec('COMMIT');
    afterCommit?.();
    return result;
  };
  const rollBackUnlessCommitted = () => {
    if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
  };
  return endWith(() => thenOrNow(work(), commit), rollBackUnlessCommitted);
}

/**
 * Runs `work` within a transaction, and undoes only what it did itself when it throws. Throws itself when SQLite has rolled back the
 * whole transaction, for example because the disk is full.
 */
export function attemptWithin<T>(database: DatabaseSync, work: () => T): PromiseSettledResult<T> {
  database.exec('SAVEPOINT attempt');
  try {
    const value = work();
    database.exec('RELEASE attempt');
    return { status: 'fulfilled', value };
  } catch (reason) {
    if (!database.isTransaction) throw reason;
    database.exec('ROLLBACK TO attempt; RELEASE attempt');
    return { status: 'rejected', reason };
  }
}
