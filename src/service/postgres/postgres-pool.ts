// The connections of this process to PostgreSQL: their number, and what the failure of one means. The package pg is loaded on first use,
// so that a service on SQLite does without it.
import type { Pool, PoolClient } from 'pg';

import { type Clock, sleep } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { DatabaseError } from '../database/database-error.ts';
import type { SqlQueries, SqlRow, SqlValue } from '../database/sql.ts';
import { createAvailability } from './availability.ts';
import { away, classifyFailure, endedIdle, isReadOnly, isRepeatable } from './classify-failure.ts';
import { poolConfigOf } from './pool-config.ts';
import type { PostgresSettings } from './postgres-url.ts';

/** How often a transaction runs that conflicts with others. */
const mostAttempts = 10;

/** Maximum time that `close` waits for a server that does not respond. */
const closingMs = 2000;

/** A value, or a list of values for `unnest`. */
export type PostgresValue = SqlValue | readonly SqlValue[];

export interface PostgresQueries extends SqlQueries {
  query(text: string, parameters?: readonly PostgresValue[]): Promise<readonly SqlRow[]>;
}

export interface PostgresPool extends PostgresQueries {
  /** False from the loss of a connection until the server responds again. */
  readonly isAvailable: boolean;
  /**
   * Serializable, as a transaction of SQLite is, and committed once the promise resolves. `work` runs again after a conflict with
   * another transaction.
   */
  transaction<T>(work: (tx: PostgresQueries) => Promise<T>): Promise<T>;
  /** Holds one connection for `work`. `lost` aborts when the connection is lost. */
  session<T>(work: (session: PostgresQueries, lost: AbortSignal) => Promise<T>): Promise<T>;
  /** Idempotent. */
  close(): Promise<void>;
}

export interface PoolDeps {
  readonly clock: Clock;
  readonly log: Logger;
}

/** Opens no connection yet. Every method rejects with a `DatabaseError` when the server is the cause. */
export async function createPostgresPool(settings: PostgresSettings, { clock, log }: PoolDeps): Promise<PostgresPool> {
  const { Pool: PgPool } = await import('pg');
  const pool: Pool = new PgPool(await poolConfigOf(settings));
  const availability = createAvailability({ probe: () => pool.query('SELECT 1'), clock, log });
  const nameOf = createNames();
  let closing: Promise<void> | undefined;

  /** Throws what a statement or a connection failed with, and notes a loss. */
  const fail = (cause: unknown): never => {
    const error = classifyFailure(cause);
    if (error instanceof DatabaseError && error.code === 'database-away') availability.lost(error);
    throw error;
  };

  const queriesOn = (client: PoolClient): PostgresQueries => ({
    async query(text, parameters = []) {
      const { rows } = await client.query<SqlRow>({ name: nameOf(text), text, values: [...parameters] }).catch(fail);
      return rows;
    },
  });

  /** Runs `work` on one connection, and closes the connection if it is not certain to be usable. */
  const hold = async <T>(work: (client: PoolClient) => Promise<T>): Promise<T> => {
    if (availability.isAway) throw away();
    const client = await pool.connect().catch(fail);
    // Without a listener the loss of a connection in use would end the process; its statement fails as well.
    client.on('error', ignore);
    let isUsable = false;
    try {
      const result = await work(client);
      isUsable = true;
      return result;
    } catch (error) {
      isUsable = await isRolledBack(client, error);
      throw error;
    } finally {
      client.off('error', ignore);
      client.release(!isUsable);
    }
  };

  const attempt = <T>(work: (tx: PostgresQueries) => Promise<T>) =>
    hold(async (client) => {
      await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE').catch(fail);
      const result = await work(queriesOn(client));
      const { command } = await client.query('COMMIT').catch(fail);
      // PostgreSQL responds to a COMMIT after a failed statement with ROLLBACK, and with no error.
      if (command !== 'COMMIT') throw new Error(`The transaction ended with ${command}.`);
      return result;
    });

  // An idle connection was lost. The pool has removed it.
  pool.on('error', (error) => {
    if (!endedIdle(error)) availability.lost(classifyFailure(error));
  });

  return {
    get isAvailable() {
      return !availability.isAway;
    },
    query: (text, parameters) => hold((client) => queriesOn(client).query(text, parameters)),
    async transaction(work) {
      for (let attempts = 1; ; attempts++) {
        try {
          return await attempt(work);
        } catch (error) {
          if (attempts >= mostAttempts || !isRepeatable(error)) throw error;
        }
      }
    },
    session: (work) =>
      hold(async (client) => {
        const lost = new AbortController();
        const end = () => lost.abort();
        client.once('end', end);
        try {
          return await work(queriesOn(client), lost.signal);
        } finally {
          client.off('end', end);
        }
      }),
    close() {
      availability.stop();
      closing ??= Promise.race([pool.end(), sleep(clock, closingMs)]);
      return closing;
    },
  };
}

function ignore(): void {}

/** Ends the transaction of a failed `work`; harmless without one. A server that only reads may have left its address to another one. */
async function isRolledBack(client: PoolClient, error: unknown): Promise<boolean> {
  if (error instanceof DatabaseError && (error.code === 'database-away' || isReadOnly(error))) return false;
  return client.query('ROLLBACK').then(
    () => true,
    () => false,
  );
}

/** Names for prepared statements: each connection parses and plans a text once. The texts are constants, so they are few. */
function createNames(): (text: string) => string {
  const names = new Map<string, string>();
  return (text) => {
    const name = names.get(text) ?? `rolealerts_${names.size}`;
    names.set(text, name);
    return name;
  };
}
