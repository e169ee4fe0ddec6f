// A session whose process must respond: while it is paused, the system still confirms its packets, so that the server would keep the session
// and its locks for as long as the pause lasts.
import type { Clock, Timer } from '../../lib/clock.ts';
import type { PostgresQueries } from './postgres-pool.ts';

export interface Responding {
  readonly clock: Clock;
  /** Aborts when the connection is lost. */
  readonly lost: AbortSignal;
  /** Time without a statement after which the server ends the session. */
  readonly pausedMs: number;
}

/** Servers before PostgreSQL 14 lack the setting. */
const limitText = `SELECT set_config(name, $1, false) FROM pg_settings WHERE name = 'idle_session_timeout'`;

/** Runs `work`, which does not use the session, and sends a statement four times in each `pausedMs`. */
export async function whileResponding<T>(
  session: PostgresQueries,
  { clock, lost, pausedMs }: Responding,
  work: () => Promise<T>,
): Promise<T> {
  await session.query(limitText, [String(pausedMs)]);
  let isOver = false;
  let timer: Timer | undefined;
  let sent: Promise<unknown> | undefined;
  const schedule = () => {
    if (!isOver) timer = clock.setTimer(pausedMs / 4, send);
  };
  const send = () => {
    // The next statement of the session reports a failure.
    if (!lost.aborted) sent = session.query('SELECT 1').then(schedule, () => undefined);
  };
  schedule();
  try {
    return await work();
  } finally {
    isOver = true;
    timer?.cancel();
    await sent;
    if (!lost.aborted) await session.query(limitText, ['0']).catch(() => undefined);
  }
}
