// The counters of failed logins of all processes of one database, so that an attacker gains nothing from their number. Each call is one
// statement. A row is deleted some time after its window has ended, and no failure of one key lowers the count of another.
import type { Clock } from '../../lib/clock.ts';
import { attemptWindowMs, type AttemptCounters, type BoundedKey } from '../oauth/attempt-counters.ts';
import type { PostgresQueries } from './postgres-pool.ts';

/** Rows that a call deletes at most, so that none takes long: more than a call adds. */
const deletedAtOnce = 10;

/**
 * `$1` are keys with the bounds `$2`; `$4` is the current time. A window that began at `$3` or before has ended, and one that begins more
 * than its length ahead is of a process whose clock was wrong: it must not last until that time.
 */
const given = 'unnest($1::text[], $2::integer[]) AS given (key, bound)';
const isOpenOf = (row: string) =>
  `${row}.since_ms > $3::bigint AND ${row}.since_ms < $4::bigint + ($4::bigint - $3::bigint)`;
const closedKeys = `SELECT 1 FROM attempt JOIN ${given} USING (key) WHERE failures >= bound AND ${isOpenOf('attempt')}`;

const countText = `
  WITH ended AS (
    DELETE FROM attempt WHERE key IN (
      SELECT key FROM attempt WHERE since_ms <= $3 AND key <> ALL ($1::text[]) LIMIT ${deletedAtOnce} FOR UPDATE SKIP LOCKED
    )
  ), counted AS (
    INSERT INTO attempt AS known (key, failures, since_ms)
    SELECT key, 1, $4 FROM ${given} WHERE NOT EXISTS (${closedKeys}) ORDER BY key
    ON CONFLICT (key) DO UPDATE SET
      failures = CASE WHEN ${isOpenOf('known')} THEN known.failures + 1 ELSE 1 END,
      since_ms = CASE WHEN ${isOpenOf('known')} THEN known.since_ms ELSE $4 END
    RETURNING key, failures
  )
  SELECT 1 FROM counted JOIN ${given} USING (key) WHERE failures <= bound`;

/** Locks several rows in the order of their keys, as the statement above does. */
const takeBackText = `
  WITH locked AS MATERIALIZED (SELECT key FROM attempt WHERE key = ANY ($1::text[]) ORDER BY key FOR UPDATE)
  UPDATE attempt SET failures = greatest(failures - 1, 0) FROM locked WHERE attempt.key = locked.key`;

export function createSharedAttemptCounters(queries: PostgresQueries, clock: Clock): AttemptCounters {
  const listsOf = (keys: readonly BoundedKey[]) => [keys.map(({ key }) => key), keys.map(({ bound }) => bound)];
  return {
    async isClosed(keys) {
      const nowMs = clock.now();
      const rows = await queries.query(closedKeys, [...listsOf(keys), nowMs - attemptWindowMs, nowMs]);
      return rows.length > 0;
    },
    async count(keys) {
      const nowMs = clock.now();
      const rows = await queries.query(countText, [...listsOf(keys), nowMs - attemptWindowMs, nowMs]);
      // Concurrent calls may count beyond a bound, and then none of them has been within it.
      return rows.length === keys.length;
    },
    async takeBack(keys) {
      await queries.query(takeBackText, [keys]);
    },
    async forget(key) {
      await queries.query('DELETE FROM attempt WHERE key = $1', [key]);
    },
  };
}
