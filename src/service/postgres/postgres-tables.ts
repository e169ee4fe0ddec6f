// The tables in PostgreSQL: created and upgraded by one process at a time, and refused if a newer version or another program made them.
// They have the names and columns of the data file, so that the small stores need one text for both.
import { UsageError } from '../../lib/command-errors.ts';
import { sqlStateOf } from './classify-failure.ts';
import { renumberForeignRecords } from './commit-order.ts';
import type { PostgresPool, PostgresQueries } from './postgres-pool.ts';

/** Each migration upgrades the tables from the version of its index to the next one. Only append; never edit one. */
const migrations: readonly (readonly string[])[] = [
  [
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
  ],
  [
    `CREATE TABLE audit (
       id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       at_ms bigint NOT NULL,
       action text NOT NULL,
       actor_type text NOT NULL,
       actor text NOT NULL,
       client_address text,
       request_id text,
       scope_key text COLLATE "C",
       alert_key text COLLATE "C",
       was_active integer,
       is_active integer
     )`,
    'CREATE INDEX audit_scope ON audit (scope_key, id)',
    'CREATE INDEX audit_time ON audit (at_ms)',
  ],
  [
    `CREATE TABLE delegation (
       id text PRIMARY KEY,
       client_id text NOT NULL,
       user_name text NOT NULL,
       scopes text NOT NULL,
       code_hash text NOT NULL UNIQUE,
       code_challenge text NOT NULL,
       redirect_uri text NOT NULL,
       is_code_used integer NOT NULL,
       ends_at_ms bigint NOT NULL
     )`,
    'CREATE INDEX delegation_end ON delegation (ends_at_ms)',
    `CREATE TABLE refresh_token (
       hash text PRIMARY KEY,
       delegation_id text NOT NULL REFERENCES delegation ON DELETE CASCADE,
       generation integer NOT NULL,
       is_used integer NOT NULL
     )`,
    'CREATE INDEX refresh_token_generation ON refresh_token (delegation_id, generation)',
    'CREATE TABLE revoked_token (id text PRIMARY KEY, revoked_at_ms bigint NOT NULL, ends_at_ms bigint NOT NULL)',
    'CREATE INDEX revoked_token_time ON revoked_token (revoked_at_ms)',
    'CREATE INDEX revoked_token_end ON revoked_token (ends_at_ms)',
  ],
  ['CREATE TABLE setting (name text PRIMARY KEY, value text NOT NULL)'],
  [
    // Only in PostgreSQL: the one process of a data file counts in memory.
    'CREATE TABLE attempt (key text COLLATE "C" PRIMARY KEY, failures integer NOT NULL, since_ms bigint NOT NULL)',
    'CREATE INDEX attempt_window ON attempt (since_ms)',
  ],
  [
    // Only in PostgreSQL: see commit-order.ts. Earlier records come first.
    'ALTER TABLE audit ADD COLUMN written_by bigint NOT NULL DEFAULT 0',
    'ALTER TABLE audit ALTER COLUMN written_by SET DEFAULT pg_current_xact_id()::text::bigint',
    'CREATE INDEX audit_order ON audit (written_by, id)',
    'DROP INDEX audit_scope',
    'CREATE INDEX audit_scope ON audit (scope_key, written_by, id)',
  ],
  ['ALTER TABLE delegation ADD COLUMN password_mark text'],
  [
    'CREATE TABLE known_caller (key text COLLATE "C" PRIMARY KEY, at_ms bigint NOT NULL)',
    'CREATE INDEX known_caller_time ON known_caller (at_ms)',
  ],
];

/** Creates or upgrades the tables. No other process may do so at the same time. Throws `UsageError`. */
export async function migrate(pool: PostgresPool): Promise<void> {
  await pool.transaction(upgrade).catch((error: unknown) => {
    throw refusalOf(error) ?? error;
  });
}

async function upgrade(tx: PostgresQueries): Promise<void> {
  const version = await readVersion(tx);
  for (const text of migrations.slice(version).flat()) await tx.query(text);
  await renumberForeignRecords(tx);
  await tx.query('DELETE FROM rolealerts_version');
  await tx.query('INSERT INTO rolealerts_version (version) VALUES ($1)', [migrations.length]);
}

/** The version of the tables; 0 for a schema without them. */
async function readVersion(tx: PostgresQueries): Promise<number> {
  await tx.query('CREATE TABLE IF NOT EXISTS rolealerts_version (version integer NOT NULL)');
  const [row] = await tx.query('SELECT version FROM rolealerts_version');
  const version = Number(row?.['version'] ?? 0);
  if (version <= migrations.length) return version;
  throw new UsageError('The database was written by a newer version of this program.');
}

/** The user's mistake behind a failed migration; undefined for any other failure. */
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
