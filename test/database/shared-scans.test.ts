// Whose turn it is to scan, when several processes share a database.
import { afterEach, expect, test } from 'vitest';

import { systemClock, type Clock } from '../../src/lib/clock.ts';
import { messageOf } from '../../src/lib/errors.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import type { Database } from '../../src/service/database/database.ts';
import { openPostgres } from '../../src/service/postgres/open-postgres.ts';
import { createPostgresPool } from '../../src/service/postgres/postgres-pool.ts';
import { decodePostgresURL } from '../../src/service/postgres/postgres-url.ts';
import { createSharedScans } from '../../src/service/postgres/shared-scans.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';
import { until } from '../support/rigs/until.ts';
import { newSchema, type PostgresAccess } from '../support/servers/postgres.ts';
import { describeWithPostgres } from '../support/servers/with-postgres.ts';

const opened: Database[] = [];
const closes: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
  for (const database of opened.splice(0)) await database.close();
});

async function openSeveral(postgres: PostgresAccess, count: number): Promise<readonly Database[]> {
  const url = new SecretText(await newSchema(postgres));
  for (let index = 0; index < count; index++) {
    opened.push(await openPostgres(url, { clock: systemClock, log: silentLogger }));
  }
  return [...opened];
}

const hour = { intervalMs: 3_600_000, isForced: false, settings: 'thresholds' };

describeWithPostgres('the turns of processes that scan', (postgres) => {
  test('are one at a time and one an interval', async () => {
    const databases = await openSeveral(postgres, 3);
    const scan = Promise.withResolvers<string>();
    const turns = databases.map(({ scanTurns }) => scanTurns.take(hour, () => scan.promise));
    const waiting: unknown[] = [];
    for (const turn of turns) void turn.then((result) => waiting.push(result));
    await until(() => waiting.length === 2, 'two know that the third one scans');
    expect(waiting).toEqual([{ waitMs: 1000 }, { waitMs: 1000 }]);
    scan.resolve('report');
    const results = await Promise.all(turns);
    expect(results.filter((result) => 'scanned' in result)).toEqual([{ scanned: 'report' }]);
    for (const { scanTurns } of databases) {
      const turn = await scanTurns.take(hour, async () => 'again');
      expect('waitMs' in turn && turn.waitMs > 3_000_000 && turn.waitMs <= 3_600_000).toBe(true);
    }
  });

  test('come at once on request, after the interval, and with other settings', async () => {
    const [one, other] = await openSeveral(postgres, 2);
    const scan = async () => 'report';
    expect(await one?.scanTurns.take(hour, scan)).toEqual({ scanned: 'report' });
    expect(await other?.scanTurns.take({ ...hour, isForced: true }, scan)).toEqual({ scanned: 'report' });
    expect(await other?.scanTurns.take({ ...hour, intervalMs: 0 }, scan)).toEqual({ scanned: 'report' });
    expect(await other?.scanTurns.take({ ...hour, settings: 'others' }, scan)).toEqual({ scanned: 'report' });
  });

  test('pass to another process when the one that scans loses its connection, and that one is notified', async () => {
    const [one, other] = await openSeveral(postgres, 2);
    const begun = Promise.withResolvers<AbortSignal>();
    const scan = one?.scanTurns.take(hour, (lost) => {
      begun.resolve(lost);
      return new Promise((_, reject) => {
        lost.addEventListener('abort', () => reject(new Error('lost')));
      });
    });
    const outcome = Promise.resolve(scan).then(() => 'scanned', messageOf);
    await begun.promise;
    await other?.sql.query(
      'SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE datname = current_database() AND locktype = $1 AND pid <> pg_backend_pid() AND objid = 2',
      ['advisory'],
    );
    expect(await outcome).toBe('lost');
    expect(await other?.scanTurns.take(hour, async () => 'report')).toEqual({ scanned: 'report' });
  });

  /** The turns of a process whose clock only the test advances. */
  async function openWithClock(clock: Clock, pausedMs?: number) {
    const url = new SecretText(await newSchema(postgres));
    const other = await openPostgres(url, { clock: systemClock, log: silentLogger });
    opened.push(other);
    const pool = await createPostgresPool(decodePostgresURL(url), { clock, log: silentLogger });
    closes.push(() => pool.close());
    return { scanTurns: createSharedScans(pool, clock, pausedMs), other };
  }

  test('pass to another process when the one that scans is paused', async () => {
    const { scanTurns, other } = await openWithClock(new ManualClock(), 100);
    const scan = (lost: AbortSignal) =>
      new Promise<string>((_, reject) => {
        lost.addEventListener('abort', () => reject(new Error('lost')));
      });
    expect(await scanTurns.take(hour, scan).then(() => 'scanned', messageOf)).toBe('lost');
    expect(await other.scanTurns.take(hour, async () => 'report')).toEqual({ scanned: 'report' });
  });

  test('stay with the process that scans while it responds', async () => {
    const clock = new ManualClock();
    const { scanTurns, other } = await openWithClock(clock);
    const [begun, scan] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
    const turn = scanTurns.take(hour, () => {
      begun.resolve();
      return scan.promise;
    });
    await begun.promise;
    const holder = `SELECT query FROM pg_stat_activity JOIN pg_locks USING (pid)
      WHERE locktype = 'advisory' AND objid = 2 AND classid = hashtext('rolealerts ' || current_schema())::oid`;
    const lastText = async () => (await other.sql.query(holder))[0]?.['query'];
    expect(await lastText()).toContain('set_config');
    await clock.advance(15_000);
    await until(async () => (await lastText()) === 'SELECT 1', 'the process has responded');
    scan.resolve('report');
    expect(await turn).toEqual({ scanned: 'report' });
  });
});
