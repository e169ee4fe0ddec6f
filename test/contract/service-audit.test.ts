// The audit trail: every change of a flag with who, from where, when and what, read on the admin port.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, inject, test } from 'vitest';

import { silentLogger } from '../../src/lib/log.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import { createAuditSweep } from '../../src/service/audit/audit-sweep.ts';
import { createAlertsServiceAt } from '../../src/service/create-service.ts';
import { openDatabase } from '../../src/service/database/open-database.ts';
import type { AssignmentSource } from '../../src/service/scanner/assignments.ts';
import { defaultThresholds } from '../../src/service/scanner/kinds.ts';
import { startAlertsService } from '../../src/service/server.ts';
import { serviceDefaults, type AlertsServiceOptions } from '../../src/service/service-options.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';
import { until } from '../support/rigs/until.ts';
import { alertA, json, listOne, seed, turnOff } from '../support/servers/alerts-service-cases.ts';
import { errorOf, jsonOf, sendOverSocket, serviceOptions, type Sent } from '../support/servers/alerts-service.ts';
import { newSchema, withClient } from '../support/servers/postgres.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

interface AuditBody {
  readonly records: readonly Record<string, unknown>[];
  readonly next?: string;
}

/**
 * The tier `database` runs the same cases on PostgreSQL, which shows a record once all transactions that began before it have ended, those
 * of other tests included.
 */
async function stateOfTier(): Promise<{
  readonly options: Pick<AlertsServiceOptions, 'databaseURL'>;
  readonly settle: () => Promise<void>;
}> {
  const postgres = inject('postgres');
  if (postgres === undefined || !('port' in postgres)) return { options: {}, settle: async () => undefined };
  return {
    options: { databaseURL: new SecretText(await newSchema(postgres)) },
    settle: () =>
      withClient(postgres, async (client) => {
        const { rows } = await client.query<{ now: string }>('SELECT pg_current_xact_id()::text AS now');
        const hasPassed = 'SELECT 1 WHERE pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8';
        await until(
          async () => (await client.query(hasPassed, [rows[0]?.now])).rowCount === 1,
          'earlier transactions end',
        );
      }),
  };
}

const { auditRetentionMs } = serviceDefaults;

async function started(options: Partial<AlertsServiceOptions> = {}) {
  const admin = { listen: { host: '127.0.0.1', port: 0 } };
  const clock = new ManualClock(Date.UTC(2026, 10, 22));
  const { options: state, settle } = await stateOfTier();
  const service = await startAlertsService(
    serviceOptions({ seed, admin, clock, auditRetentionMs, ...state, ...options }),
  );
  stops.push(() => service.stop());
  const send = (sent: Sent) => sendOverSocket(service.url, { ...sent, expectsFault: true });
  const ask = (target: string) =>
    sendOverSocket(service.adminURL ?? '', { target, headers: { authorization: '' } }, () => []);
  const audit = async (query = '') => {
    await settle();
    return jsonOf(await ask(`/audit${query}`)) as AuditBody;
  };
  return { ...service, clock, send, ask, audit };
}

const turnOn = { ...turnOff, body: JSON.stringify({ properties: { isActive: true } }) };
const update = {
  at: '2026-11-22T00:00:00.000Z',
  action: 'update',
  actorType: 'static-token',
  actor: 'static-token',
  clientAddress: '127.0.0.1',
  scope: 'subscriptions/one',
  alert: 'a',
};

/** Adds records, the first at `afterMs + 1` and each a millisecond later. */
const manyRecords = (count: number, afterMs = 0) =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
   INSERT INTO audit (at_ms, action, actor_type, actor) SELECT ${afterMs} + i, 'update', 'user', 'u' FROM n`;

describe('the audit trail', () => {
  test('has who changed which alert, from where, when, from what and to what', async () => {
    const { send, audit } = await started();
    await send({ ...turnOff, headers: { ...json, 'x-request-id': 'req-1' } });
    await send({ ...turnOn, headers: { ...json, 'x-request-id': 'req-2' } });
    expect(await audit()).toEqual({
      records: [
        { id: 1, ...update, requestID: 'req-1', from: true, to: false },
        { id: 2, ...update, requestID: 'req-2', from: false, to: true },
      ],
    });
  });

  test('has no record of a request that changed nothing', async () => {
    const { send, audit } = await started();
    await send({ target: listOne });
    await send(turnOn);
    await send({ ...turnOff, target: alertA.replace('/A', '/none') });
    await send({ ...turnOff, headers: { ...json, authorization: 'Bearer wrong-token' } });
    await send({ ...turnOff, body: '{}' });
    expect(await audit()).toEqual({ records: [] });
  });

  test('has the changes of the scanner, under its name', async () => {
    const owner = { assignee: { id: 'u', type: 'User', name: 'u' }, role: { id: 'Owner', name: 'Owner' } };
    const assignments = [{ ...owner, id: 'a', isOwner: true, isOutside: true }];
    let isEmpty = false;
    const source: AssignmentSource = {
      read: async () => [{ scope: 'Subscriptions/New', assignments: isEmpty ? [] : assignments, roles: [] }],
    };
    const scanner = { source, intervalMs: 3_600_000, thresholds: defaultThresholds };
    const { audit, ...service } = await started({ scanner });
    await service.scanner?.scanNow();
    isEmpty = true;
    await service.scanner?.scanNow();
    const [raised, cleared] = (await audit('?scope=subscriptions/NEW&alert=RolesAssignedOutsidePrivilegedAccess'))
      .records;
    const scan = { action: 'scan', actorType: 'scanner', actor: 'scanner', clientAddress: null, requestID: null };
    expect([raised, cleared]).toMatchObject([
      { ...scan, scope: 'subscriptions/new', from: false, to: true },
      { ...scan, scope: 'subscriptions/new', from: true, to: false },
    ]);
  });

  test('has the activations of a fault, under its name', async () => {
    const rules = [{ fault: { reRaise: { afterMs: 10 } } }];
    const { send, audit, clock } = await started({ faults: { rules } });
    await send(turnOff);
    await clock.advance(10);
    await expect
      .poll(async () => (await audit()).records)
      .toMatchObject([
        { action: 'update' },
        { action: 'fault', actorType: 'fault', actor: 'reRaise', from: false, to: true },
      ]);
  });

  test('is read by scope and alert, since a time, in pages', async () => {
    const { send, audit, clock } = await started();
    for (const each of [turnOff, turnOn, turnOff]) {
      await send(each);
      await clock.advance(60_000);
    }
    const ids = async (query: string) => (await audit(query)).records.map(({ id }) => id);
    expect(await ids('?scope=subscriptions/one&alert=A')).toEqual([1, 2, 3]);
    expect(await ids('?scope=subscriptions/one&alert=B')).toEqual([]);
    expect(await ids('?scope=subscriptions/two')).toEqual([]);
    expect(await ids('?since=2026-11-22T00:01:00Z')).toEqual([2, 3]);
    const first = await audit('?scope=SUBSCRIPTIONS/one&limit=2');
    expect(first).toMatchObject({ records: [{ id: 1 }, { id: 2 }], next: expect.stringMatching(/^\/audit\?/) });
    expect(await audit(first.next?.slice('/audit'.length))).toEqual({ records: [expect.objectContaining({ id: 3 })] });
  });

  test.each([
    '?limit=0',
    '?limit=1001',
    '?limit=x',
    '?since=yesterday',
    '?after=-1',
    '?after=1.2.3',
    '?after=9007199254740993',
    '?scope=a%00b',
    '?alert=A',
    '?limit=1&limit=2',
    '?user=ada',
  ])('is not read with the query %s', async (query) => {
    expect(errorOf(await (await started()).ask(`/audit${query}`))).toBe('400 InvalidQuery');
  });

  test('is absent with a retention of 0', async () => {
    const { send, ask } = await started({ auditRetentionMs: 0 });
    expect((await send(turnOff)).status).toBe(204);
    expect(errorOf(await ask('/audit'))).toBe('404 NoAudit');
  });

  test('keeps a record as long as asked', async () => {
    const { send, audit, clock } = await started({ auditRetentionMs: 3_600_000 });
    await send(turnOff);
    await clock.advance(3_600_000);
    expect((await audit()).records).toHaveLength(1);
    await clock.advance(20_000);
    await expect.poll(async () => (await audit()).records).toEqual([]);
  });
});

test.each([
  ['in memory keeps the newest ten thousand', false, 10_000],
  ['in a data file keeps all', true, 12_000],
])('a state %s of many records', async (_, isFile, kept) => {
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-audit-'));
  stops.push(() => rm(folder, { recursive: true }));
  const clock = new ManualClock();
  const state = isFile ? { dataFile: join(folder, 'state.db') } : {};
  const options = serviceOptions({ clock, auditRetentionMs, ...state });
  const service = await createAlertsServiceAt(options, () => 'http://service.test');
  const { sql } = service.database;
  await sql.query(manyRecords(12_000, clock.now()));
  service.audit?.sweep.start();
  await clock.advance(10_000);
  await expect.poll(() => clock.pendingTimers).toBe(1);
  await service.audit?.sweep.stop();
  const [row] = await sql.query('SELECT count(*) AS n, max(id) AS newest FROM audit');
  await service.close();
  expect(row).toEqual({ n: kept, newest: 12_000 });
});

test('an update whose record cannot be written changes nothing', async () => {
  const database = openDatabase(undefined);
  stops.push(() => database.close());
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

test('a sweep deletes old records in steps, and keeps at most as many as it may', async () => {
  const database = openDatabase(undefined);
  stops.push(() => database.close());
  const clock = new ManualClock(10_000_000);
  await database.sql.query(manyRecords(6000));
  const idsLeft = async () => {
    const [row] = await database.sql.query('SELECT count(*) AS n, min(id) AS least FROM audit');
    return [row?.['n'], row?.['least']];
  };
  const sweepOnce = async (retentionMs: number, mostRecords?: number) => {
    const sweep = createAuditSweep({ sql: database.sql, retentionMs, mostRecords, clock, log: silentLogger });
    sweep.start();
    await clock.advance(10_000);
    await expect.poll(() => clock.pendingTimers).toBe(1);
    await sweep.stop();
  };
  await sweepOnce(clock.now() + 10_000 - 2501);
  expect(await idsLeft()).toEqual([3500, 2501]);
  await sweepOnce(clock.now() + 10_000, 1200);
  expect(await idsLeft()).toEqual([1200, 4801]);
});
