// The audit trail: every change of a flag with who, from where, when and what, read on the admin port.

import { describe, expect, inject, test } from 'vitest';

import type { AssignmentSource } from '../../src/service/scanner/assignments.ts';
import { defaultThresholds } from '../../src/service/scanner/kinds.ts';
import { scannerWith } from '../../src/service/scanner/scanner.ts';
import { serviceDefaults, type AlertsServiceOptions } from '../../src/service/service-options.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';
import { clientsWith, fragmentOf, portalURI, sendForm, user, users } from '../support/rigs/oauth-rig.ts';
import { until } from '../support/rigs/until.ts';
import {
  alertA,
  endingWithTest,
  json,
  listOne,
  shareOne,
  startWithAdmin,
  turnOff,
  stateOfTier,
} from '../support/servers/alerts-service-cases.ts';
import {
  errorOf,
  jsonOf,
  sendOverSocket,
  type Sent,
  type ServiceUnderTest,
} from '../support/servers/alerts-service.ts';
import { withClient } from '../support/servers/postgres.ts';

interface AuditBody {
  readonly records: readonly Record<string, unknown>[];
  readonly next?: string;
}

/** PostgreSQL shows a record once all transactions that began before it have ended, those of other tests included. */
async function settle(): Promise<void> {
  const postgres = inject('postgres');
  if (postgres === undefined || !('port' in postgres)) return;
  await withClient(postgres, async (client) => {
    const { rows } = await client.query<{ now: string }>('SELECT pg_current_xact_id()::text AS now');
    const hasPassed = 'SELECT 1 WHERE pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8';
    await until(async () => (await client.query(hasPassed, [rows[0]?.now])).rowCount === 1, 'earlier transactions end');
  });
}

const { auditRetentionMs } = serviceDefaults;

async function start(options: Partial<AlertsServiceOptions> = {}) {
  const clock = new ManualClock(Date.UTC(2026, 10, 22));
  const service = await startWithAdmin({ clock, auditRetentionMs, ...(await stateOfTier()), ...options });
  const audit = async (query = '') => {
    await settle();
    return jsonOf(await service.ask('GET', `/audit${query}`)) as AuditBody;
  };
  return { ...service, clock, audit };
}

const started = endingWithTest(start);

const shared = shareOne(start);

const turnOn = { ...turnOff, body: JSON.stringify({ properties: { isActive: true } }) };
const update = {
  at: '2026-11-22T00:00:00.000Z',
  action: 'update',
  actorType: 'static-token',
  actor: 'static-token',
  client: null,
  clientAddress: '127.0.0.1',
  scope: 'subscriptions/one',
  alert: 'a',
};

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

  test('has each change of the faults, and none that was refused', async () => {
    const { ask, audit } = await started();
    const put = async (requestID: string, body: string) =>
      (await ask('PUT', '/faults', { headers: { ...json, 'x-request-id': requestID }, body })).status;
    expect(await put('req-1', '{"rules": [{"fault": {"status": 503}}]}')).toBe(200);
    expect(await put('req-2', '{"rules": [{"fault": {"status": 99}}]}')).toBe(422);
    expect(await put('req-3', '{"rules": []}')).toBe(200);
    const { at, clientAddress } = update;
    const byAdmin = { at, action: 'faults', actorType: 'admin', actor: 'admin', client: null, clientAddress };
    const ofState = { scope: null, alert: null, from: null, to: null };
    expect(await audit()).toEqual({
      records: [
        { id: 1, ...byAdmin, requestID: 'req-1', ...ofState },
        { id: 2, ...byAdmin, requestID: 'req-3', ...ofState },
      ],
    });
  });

  test('has the client that acted for a user', async () => {
    const { url, send, audit } = await started({ clients: clientsWith(), users });
    const asked = { response_type: 'token', client_id: 'portal', redirect_uri: portalURI };
    const form = { ...asked, username: user.name, password: user.password, decision: 'allow' };
    const sendTo = (sent: Sent) => sendOverSocket(url, sent);
    const { access_token: token } = fragmentOf(await sendForm({ send: sendTo } as ServiceUnderTest, form));
    await send({ ...turnOff, headers: { ...json, authorization: `Bearer ${token}` } });
    const { records } = await audit();
    expect(records).toMatchObject([{ actorType: 'user', actor: user.name, client: 'portal' }]);
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
    const scanner = scannerWith({ source, intervalMs: 3_600_000, thresholds: defaultThresholds });
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
    '?since=yesterday',
    '?after=9007199254740993',
    '?scope=a%00b',
    '?alert=A',
    '?limit=1&limit=2',
    '?user=ada',
  ])('is not read with the query %s', async (query) => {
    expect(errorOf(await (await shared()).ask('GET', `/audit${query}`))).toBe('400 InvalidQuery');
  });

  test('is absent with a retention of 0', async () => {
    const { send, ask } = await started({ auditRetentionMs: 0 });
    expect((await send(turnOff)).status).toBe(204);
    expect(errorOf(await ask('GET', '/audit'))).toBe('404 NoAudit');
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
