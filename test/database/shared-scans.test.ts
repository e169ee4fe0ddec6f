// Whose turn it is to scan, when several processes share a database.
import { afterEach, expect, test } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import { messageOf } from '../../src/lib/errors.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import type { Database } from '../../src/service/database/database.ts';
import { openPostgres } from '../../src/service/postgres/open-postgres.ts';
import { until } from '../support/rigs/until.ts';
import { newSchema, type PostgresAccess } from '../support/servers/postgres.ts';
import { describeWithPostgres } from '../support/servers/with-postgres.ts';

const opened: Database[] = [];
afterEach(async () => {
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

  test('do not count a scan that failed', async () => {
    const [one, other] = await openSeveral(postgres, 2);
    await expect(one?.scanTurns.take(hour, () => Promise.reject(new Error('not readable')))).rejects.toThrow(
      'not readable',
    );
    expect(await other?.scanTurns.take(hour, async () => 'report')).toEqual({ scanned: 'report' });
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
      'SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = $1 AND pid <> pg_backend_pid() AND objid = 2',
      ['advisory'],
    );
    expect(await outcome).toBe('lost');
    expect(await other?.scanTurns.take(hour, async () => 'report')).toEqual({ scanned: 'report' });
  });
});
