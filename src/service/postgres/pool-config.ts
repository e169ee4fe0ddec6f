// The settings of the pool and of each connection: bounds, timeouts and TLS. Every value is explicit, because pg would otherwise take it
// from PG… variables of the environment.
import type { PoolConfig } from 'pg';

import type { PostgresSettings } from './postgres-url.ts';
import { startupOptions } from './session-settings.ts';

const connectTimeoutMs = 5000;

/** Maximum time of a statement at the server, and until its result is there at a server that does not respond. */
const statementMs = 10_000;
const resultMs = 15_000;

/** Maximum wait for a row that another transaction has locked. */
const lockTimeoutMs = 5000;
/** Ends the transaction of a process that was paused, because its locks would hold up the others. */
const idleTransactionTimeoutMs = 15_000;
const idleConnectionMs = 60_000;

export async function poolConfigOf(settings: PostgresSettings): Promise<PoolConfig> {
  const { types } = await import('pg');
  const { host, port, database, user, password, tls, connections } = settings;
  return {
    host,
    port,
    database,
    user,
    ...(password && { password: password.reveal() }),
    // pg passes a name to TLS, but no address; both are checked against the certificate.
    ssl: tls ? { host, ...tls } : false,
    max: connections,
    application_name: 'rolealerts',
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleConnectionMs,
    statement_timeout: statementMs,
    query_timeout: resultMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
    keepAlive: true,
    options: startupOptions(settings),
    // pg returns a bigint as text.
    types: {
      getTypeParser: (oid, format) => (oid === types.builtins.INT8 ? toNumber : types.getTypeParser(oid, format)),
    },
  };
}

function toNumber(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError('A number of the database is beyond ±2^53.');
}
