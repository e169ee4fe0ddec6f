// The audit trail by itself: nothing changes without its record, and its size is bounded.

import { describe, expect, onTestFinished, test } from 'vitest';

import { createLogger, silentLogger } from '../../../src/lib/log.ts';
import { adminBounds } from '../../../src/service/admin/admin-access.ts';
import { createAdminRoutes } from '../../../src/service/admin/admin-routes.ts';
import { createAuditSweep } from '../../../src/service/audit/audit-sweep.ts';
import { openAudit } from '../../../src/service/audit/open-audit.ts';
import { openDatabase } from '../../../src/service/database/open-database.ts';
import { createAttemptLimit } from '../../../src/service/oauth/attempt-limit.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';

/** Adds records, each a millisecond after the one before. */
const manyRecords = (count: number) =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
   INSERT INTO audit (at_ms, action, actor_type, actor) SELECT i, 'update', 'user', 'u' FROM n`;

test('a change of the faults without its record leaves them as they are', async () => {
  const database = openDatabase(undefined);
  onTestFinished(() => database.close());
  const { sql, auditOrder: order } = database;
  const limits = { retentionMs: 1, mostBytes: 1, isInMemory: true, onSwept: () => undefined };
  const audit = openAudit({ sql, order, ...limits, clock: new ManualClock(), log: silentLogger });
  await sql.query('DROP TABLE audit');
  const replaced: unknown[] = [];
  const faults = { report: () => ({ seed: 0, rules: [] }), replace: (script: unknown) => replaced.push(script) };
  const attempts = createAttemptLimit(adminBounds, new ManualClock());
  const answer = createAdminRoutes({ faults, audit, attempts, log: silentLogger });
  const headers = { host: '127.0.0.1', 'content-type': 'application/json' };
  const asked = { method: 'PUT', target: '/faults', headers, body: new TextEncoder().encode('{"rules": []}') };
  const { response } = await answer({ ...asked, scheme: 'http', clientAddress: '127.0.0.1' });
  expect([response.status, replaced]).toEqual([500, []]);
});

test('an update whose record cannot be written changes nothing', async () => {
  const database = openDatabase(undefined);
  onTestFinished(() => database.close());
  const { alerts, sql } = database;
  const alert = { name: 'A', isActive: true, systemData: null, members: '"name":"A"', properties: '"x":1' };
  await alerts.putAlert('s', alert);
  const before = await alerts.readAlert('s', 'A');
  await sql.query('DROP TABLE audit');
  const modifier = { by: 'u', byType: 'User', atMs: 0 } as const;
  const cause = { action: 'update', actorType: 'user', actor: 'u' } as const;
  const change = { scope: 's', alertName: 'A', isActive: false, modifier, cause };
  await expect(Promise.try(() => alerts.changeActive(change))).rejects.toThrow('audit');
  expect(await alerts.readAlert('s', 'A')).toBe(before);
});

describe('a sweep of the audit trail', () => {
  async function opened(mostMiB: number) {
    const database = openDatabase(undefined);
    onTestFinished(() => database.close());
    const clock = new ManualClock(10_000_000);
    const lines: string[] = [];
    const sizes: number[] = [];
    const sweep = (retentionMs: number) =>
      createAuditSweep({
        sql: database.sql,
        retentionMs,
        mostBytes: mostMiB * 1024 * 1024,
        onSwept: (bytes) => void sizes.push(bytes),
        clock,
        log: createLogger({ level: 'warn', format: 'json', sink: { write: (line) => void lines.push(line) } }),
      });
    const pass = async () => {
      const swept = sizes.length;
      await clock.advance(10_000);
      await expect.poll(() => sizes.length).toBe(swept + 1);
    };
    const left = async () => {
      const [row] = await database.sql.query('SELECT count(*) AS n, min(id) AS least FROM audit');
      return [row?.['n'], row?.['least']];
    };
    return { sql: database.sql, clock, lines, sizes, sweep, pass, left };
  }

  const foreverMs = 1e12;

  test('deletes old records in steps', async () => {
    const { sql, clock, sweep, pass, left, lines } = await opened(1);
    await sql.query(manyRecords(6000));
    const sweeping = sweep(clock.now() + 10_000 - 2501);
    sweeping.start();
    await pass();
    await sweeping.stop();
    expect([await left(), lines]).toEqual([[3500, 2501], []]);
  });

  test('keeps the newest records within the size, and says so once', async () => {
    const { sql, lines, sizes, sweep, pass, left } = await opened(1);
    const sweeping = sweep(foreverMs);
    sweeping.start();
    await sql.query(manyRecords(5000));
    await pass();
    const [bytes = 0] = sizes;
    const bytesOfOne = bytes / 5000;
    expect([bytes < 1024 * 1024, await left(), lines]).toEqual([true, [5000, 1], []]);
    for (let round = 0; round < 5; round++) {
      await sql.query(manyRecords(25_000));
      await pass();
      const [count, least] = (await left()) as [number, number];
      // All that are left are the newest, and at most a hundredth and a part of a step less than the size allows.
      expect(count + least - 1).toBe(5000 + 25_000 * (round + 1));
      expect(count * bytesOfOne).toBeLessThanOrEqual(1024 * 1024);
      expect(sizes.at(-1)).toBeLessThanOrEqual(1024 * 1024);
    }
    await sweeping.stop();
    expect(lines).toEqual([expect.stringContaining('the trail has its maximum size')]);
  });
});
