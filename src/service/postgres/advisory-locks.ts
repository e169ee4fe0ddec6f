// The advisory locks that the processes of one schema share. PostgreSQL ends a lock with its connection, so a killed process holds none.
import type { Logger } from '../../lib/log.ts';
import { DatabaseError } from '../database/database-error.ts';
import type { PostgresPool, PostgresQueries } from './postgres-pool.ts';

/** Held while a process prepares the database: `startLock`; and during a scan: `scanLock`. */
export type LockNumber = 1 | 2;
export const startLock = 1;
export const scanLock = 2;

/** Attempts to start, a tenth of a second apart: five minutes. */
const mostAttempts = 3000;

/** The first number is the same for all processes of one schema, and hardly for anything else in the database. */
const numbers = "hashtext('rolealerts ' || coalesce(current_schema(), '')), $1";

/** Runs `work` if the lock is free; undefined if another process holds it. */
export async function withLock<T>(
  session: PostgresQueries,
  lock: LockNumber,
  work: () => Promise<T>,
): Promise<{ readonly result: T } | undefined> {
  const [row] = await session.query(`SELECT pg_try_advisory_lock(${numbers})::integer AS locked`, [lock]);
  if (row?.['locked'] !== 1) return undefined;
  try {
    return { result: await work() };
  } finally {
    // A failure means that the connection is lost, and with it the lock.
    await session.query(`SELECT pg_advisory_unlock(${numbers})`, [lock]).catch(() => undefined);
  }
}

/**
 * Runs `work` while no other process does so on this schema. Asks for the lock again and again, because a statement that waits for it
 * would reach its time limit before a long seed of another process ends.
 */
export function whileStarting<T>(pool: PostgresPool, log: Logger, work: () => Promise<T>): Promise<T> {
  return pool.session(async (session) => {
    for (let attempts = 0; attempts < mostAttempts; attempts++) {
      const locked = await withLock(session, startLock, work);
      if (locked) return locked.result;
      if (attempts === 0) log.info({}, 'waiting for another process that prepares the database');
      await session.query('SELECT pg_sleep(0.1)');
    }
    throw new DatabaseError('database-busy', 'Another process has prepared the database for five minutes.');
  });
}
