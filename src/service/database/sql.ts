// The port to the database for the small tables: signing keys, used assertions, scanned scopes, the kept certificate. Its users
// write SQL that SQLite and PostgreSQL both understand, so that each of them exists once.

/** Numbers are whole, because every column of numbers is: a statement fails with a fraction. Keep them within ±2^53. */
export type SqlValue = string | number | null | Uint8Array;

export type SqlRow = Readonly<Record<string, SqlValue>>;

export interface SqlQueries {
  /**
   * Runs one statement and returns its rows, also those of RETURNING. The parameters are `$1`, `$2` and so on, and each is used in
   * the text. The text must be a constant, because implementations keep the prepared statement. Quote aliases in mixed case.
   */
  query(text: string, parameters?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
}

export interface Sql extends SqlQueries {
  /**
   * Runs `work` in one serializable transaction, on disk once the promise resolves; rolls back when `work` rejects. `work` must use only
   * `tx`: a call of the port itself would wait for the end of the transaction. PostgreSQL runs `work` again after a conflict, so it must
   * have no other effect.
   */
  transaction<T>(work: (tx: SqlQueries) => Promise<T>): Promise<T>;
}
