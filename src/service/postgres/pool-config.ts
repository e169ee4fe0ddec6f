// The settings of the pool and of each connection: bounds, timeouts and TLS. Every value is explicit, because pg would otherwise take it
// from PG… variables of the environment.
import type { PoolConfig } from 'pg';

import type { PostgresSettings, SSLMode } from './postgres-url.ts';
import { startupOptions } from './session-settings.ts';

const connectTimeoutMs = 5000;

/** Maximum time of a statement at the server, and until its result is there at a server that does not respond. */
export interface StatementLimits {
  readonly serverMs: number;
  readonly resultMs: number;
}

export const requestLimits: StatementLimits = { serverMs: 10_000, resultMs: 15_000 };
/** An index on millions of audit records takes minutes. */
export const upgradeLimits: StatementLimits = { serverMs: 3_600_000, resultMs: 3_605_000 };

/** Maximum wait for a row that another transaction has locked. */
const lockTimeoutMs = 5000;
/** Ends the transaction of a process that was paused, because its locks would hold up the others. */
const idleTransactionTimeoutMs = 15_000;
const idleConnectionMs = 60_000;

export async function poolConfigOf(settings: PostgresSettings, limits: StatementLimits): Promise<PoolConfig> {
  const { types } = await import('pg');
  const { host, port, database, user, password, connections } = settings;
  return {
    host,
    port,
    database,
    user,
    ...(password && { password: password.reveal() }),
    ssl: tlsOf(settings),
    max: connections,
    application_name: 'rolealerts',
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleConnectionMs,
    statement_timeout: limits.serverMs,
    query_timeout: limits.resultMs,
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

function tlsOf({ sslMode, authorities: ca, host }: PostgresSettings): PoolConfig['ssl'] {
  if (sslMode === 'disable') return false;
  // pg passes a name to TLS, but no address; both are checked against the certificate.
  return { host, ...(ca !== undefined && { ca }), ...checks[sslMode] };
}

const checks: Readonly<Record<Exclude<SSLMode, 'disable'>, object>> = {
  require: { rejectUnauthorized: false },
  'verify-ca': { checkServerIdentity: () => undefined },
  'verify-full': {},
};

function toNumber(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError('A number of the database is beyond ±2^53.');
}
