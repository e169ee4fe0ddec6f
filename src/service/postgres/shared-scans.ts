// One scan at a time and one an interval, for all processes of one database: an advisory lock, and the time of the last scan by the
// clock of the database, because the clocks of the processes may differ.
import type { Clock } from '../../lib/clock.ts';
import type { ScanRequest, ScanTurn, ScanTurns } from '../database/scan-turns.ts';
import { scanLock, withLock } from './advisory-locks.ts';
import type { PostgresPool, PostgresQueries } from './postgres-pool.ts';
import { whileResponding } from './responding-session.ts';

/** Time until the next attempt while another process scans. */
const busyWaitMs = 1000;

/** Time that a process which scans may be paused before another one may scan. */
const mostPausedMs = 60_000;

export function createSharedScans(pool: PostgresPool, clock: Clock, pausedMs = mostPausedMs): ScanTurns {
  return {
    take: (request, scan) =>
      pool.session(async (session, lost) => {
        const scanResponding = () => whileResponding(session, { clock, lost, pausedMs }, () => scan(lost));
        const locked = await withLock(session, scanLock, () => scanIfDue(session, request, scanResponding));
        return locked ? locked.result : { waitMs: busyWaitMs };
      }),
  };
}

async function scanIfDue<T>(
  session: PostgresQueries,
  { isForced, ...request }: ScanRequest,
  scan: () => Promise<T>,
): Promise<ScanTurn<T>> {
  const waitMs = isForced ? 0 : await restOfInterval(session, request);
  if (waitMs > 0) return { waitMs };
  const scanned = await scan();
  await noteScan(session, request.settings);
  return { scanned };
}

/** Time until the next scan, in milliseconds; 0 when one is due. */
async function restOfInterval(
  session: PostgresQueries,
  { intervalMs, settings }: Omit<ScanRequest, 'isForced'>,
): Promise<number> {
  const [row] = await session.query(
    `SELECT (extract(epoch FROM clock_timestamp() - ended_at) * 1000)::bigint AS age_ms
       FROM last_scan WHERE settings = $1`,
    [settings],
  );
  // A clock that was set back must not delay the next scan by more than the interval.
  const ageMs = row === undefined ? intervalMs : Math.max(0, Number(row['age_ms']));
  return Math.max(0, intervalMs - ageMs);
}

async function noteScan(session: PostgresQueries, settings: string): Promise<void> {
  await session.query(
    `INSERT INTO last_scan (id, settings, ended_at) VALUES (1, $1, clock_timestamp())
     ON CONFLICT (id) DO UPDATE SET settings = excluded.settings, ended_at = excluded.ended_at`,
    [settings],
  );
}
