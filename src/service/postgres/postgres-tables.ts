// The tables in PostgreSQL: created by one process at a time, and refused if another version or another program made them.
// They have the names and columns of the data file, so that the small stores need one text for both.
import { UsageError } from '../../lib/command-errors.ts';
import { sqlStateOf } from './classify-failure.ts';
import { renumberForeignRecords } from './commit-order.ts';
import type { PostgresPool, PostgresQueries } from './postgres-pool.ts';

/** The version of the tables. A database with another one is refused. */
const tablesVersion = 1;

const createTables: readonly string[] = [
  'CREATE TABLE scope (scope_key text COLLATE "C" PRIMARY KEY)',
  // Free space on each page lets an update put the new row beside the old one, without touching an index.
  `CREATE TABLE alert (
     position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     scope_key text COLLATE "C" NOT NULL REFERENCES scope ON DELETE CASCADE,
     alert_key text COLLATE "C" NOT NULL,
     is_active integer NOT NULL,
     system_data text,
     UNIQUE (scope_key, alert_key)
   ) WITH (fillfactor = 70)`,
  'CREATE INDEX alert_page ON alert (scope_key, position)',
  `CREATE TABLE document (
     position bigint PRIMARY KEY REFERENCES alert ON DELETE CASCADE,
     members text NOT NULL,
     properties text NOT NULL
   )`,
  'CREATE TABLE signing_key (id text PRIMARY KEY, jwk text NOT NULL, created_at_ms bigint NOT NULL)',
  `CREATE TABLE used_assertion (
     client_id text NOT NULL,
     jti text NOT NULL,
     ends_at_s bigint NOT NULL,
     PRIMARY KEY (client_id, jti)
   )`,
  'CREATE INDEX used_assertion_end ON used_assertion (ends_at_s)',
  `CREATE TABLE authorization_code (
     hash text PRIMARY KEY,
     client_id text NOT NULL,
     user_name text NOT NULL,
     scopes text NOT NULL,
     code_challenge text NOT NULL,
     redirect_uri text NOT NULL,
     ends_at_ms bigint NOT NULL
   )`,
  'CREATE INDEX authorization_code_end ON authorization_code (ends_at_ms)',
  'CREATE TABLE scanned_scope (scope_key text COLLATE "C" PRIMARY KEY)',
  `CREATE TABLE certificate (
     id integer PRIMARY KEY CHECK (id = 1),
     hosts text NOT NULL,
     authority text NOT NULL,
     certificate text NOT NULL,
     key text NOT NULL,
     ends_at_ms bigint NOT NULL
   )`,
  // The last scan of all processes, by the clock of the database.
  `CREATE TABLE last_scan (
     id integer PRIMARY KEY CHECK (id = 1),
     settings text NOT NULL,
     ended_at timestamptz NOT NULL
   )`,
  // `written_by`: see commit-order.ts.
  `CREATE TABLE audit (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     at_ms bigint NOT NULL,
     action text NOT NULL,
     actor_type text NOT NULL,
     actor text NOT NULL,
     client_id text,
     client_address text,
     request_id text,
     scope_key text COLLATE "C",
     alert_key text COLLATE "C",
     was_active integer,
     is_active integer,
     written_by bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint
   )`,
  'CREATE INDEX audit_scope ON audit (scope_key, written_by, id)',
  'CREATE INDEX audit_time ON audit (at_ms)',
  'CREATE INDEX audit_order ON audit (written_by, id)',
  'CREATE TABLE setting (name text PRIMARY KEY, value text NOT NULL)',
];

/** Creates the tables if there are none. No other process may do so at the same time. Throws `UsageError`. */
export async function prepareTables(pool: PostgresPool): Promise<void> {
  await pool.transaction(prepare).catch((error: unknown) => {
    throw refusalOf(error) ?? error;
  });
}

async function prepare(tx: PostgresQueries): Promise<void> {
  await tx.query('CREATE TABLE IF NOT EXISTS rolealerts_version (version integer NOT NULL)');
  const [row] = await tx.query('SELECT version FROM rolealerts_version');
  if (!row) {
    for (const text of createTables) await tx.query(text);
    await tx.query('INSERT INTO rolealerts_version (version) VALUES ($1)', [tablesVersion]);
    return;
  }
  if (row['version'] !== tablesVersion) {
    throw new UsageError(
      `The database has tables of version ${String(row['version'])}; this version of the program reads version ${tablesVersion}.`,
    );
  }
  await renumberForeignRecords(tx);
}

/** The user's mistake behind tables that cannot be created; undefined for any other failure. */
function refusalOf(error: unknown): UsageError | undefined {
  switch (sqlStateOf(error)) {
    case '42P07': // duplicate_table
      return new UsageError('The schema of the database has tables of another program: name another with search_path.');
    case '42501': // insufficient_privilege
      return new UsageError('The user of --database may not create tables: grant it CREATE on the schema.');
    case '3F000': // invalid_schema_name
      return new UsageError('The schema of --database does not exist: create it, or change search_path.');
    case undefined:
    default:
      return undefined;
  }
}
