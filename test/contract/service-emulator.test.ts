// What the admin port of an emulator does to the whole state, and that no other service offers it.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

import { describe, expect, onTestFinished, test } from 'vitest';

import { SecretText } from '../../src/lib/secret-text.ts';
import type { AdminOptions } from '../../src/service/admin/admin-port.ts';
import { createForwardClock } from '../../src/service/emulator/forward-clock.ts';
import type { AssignmentSource } from '../../src/service/scanner/assignments.ts';
import { defaultThresholds } from '../../src/service/scanner/kinds.ts';
import { scannerWith } from '../../src/service/scanner/scanner.ts';
import { startAlertsService } from '../../src/service/server.ts';
import { serviceDefaults, type AlertsServiceOptions } from '../../src/service/service-options.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';
import { json, listOne, seed, shareOne, turnOff } from '../support/servers/alerts-service-cases.ts';
import {
  apiVersion,
  errorOf,
  jsonOf,
  listOf,
  listPath,
  sendOverSocket,
  serviceOptions,
  type Received,
  type Sent,
} from '../support/servers/alerts-service.ts';

const admin: AdminOptions = { listen: { host: '127.0.0.1', port: 0 } };

async function start(options: Partial<AlertsServiceOptions> = {}, isEmulator = true) {
  const base = new ManualClock(Date.UTC(2026, 10, 22));
  const clock = createForwardClock(base);
  const emulator = isEmulator ? { emulatorClock: clock } : {};
  const { auditRetentionMs } = serviceDefaults;
  const service = await startAlertsService(
    serviceOptions({ seed, admin, clock, auditRetentionMs, ...emulator, ...options }),
  );
  const ask = (method: string, target: string, body?: unknown): Promise<Received> =>
    sendOverSocket(
      service.adminURL ?? '',
      {
        method,
        target,
        headers: { authorization: '', ...json },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      },
      () => [],
    );
  const send = (sent: Sent) => sendOverSocket(service.url, { ...sent, expectsFault: true });
  const flagsOf = async (target: string) =>
    listOf(await send({ target })).value.map(({ name, properties }) => [name, properties['isActive']]);
  return { ...service, base, clock, ask, send, flagsOf };
}

const started: typeof start = async (...options) => {
  const service = await start(...options);
  onTestFinished(() => service.stop());
  return service;
};

const shared = shareOne(start);
const sharedPlain = shareOne(() => start({}, false));

const malformed = 'GET / HTTP/9.9\r\n\r\n';

/** The Date header of the response to `bytes`. */
async function dateOf(url: string, bytes: string): Promise<string | undefined> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(bytes);
  return /^Date: (.*)\r$/im.exec(await text(socket))?.[1];
}

/** What the admin port answers to a long seed of which it gets the beginning only. */
async function answerToBeginning(adminURL: string, headers: string): Promise<string> {
  const socket = connect(Number(new URL(adminURL).port), '127.0.0.1');
  const head = `PUT /seed HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n${headers}\r\n`;
  socket.write(head + ' '.repeat(20_000));
  const answer = await text(socket);
  return answer.slice(0, answer.indexOf('\r\n'));
}

const listTwo = `/subscriptions/two${listPath}?${apiVersion}`;
const otherSeed = { scopes: { 'subscriptions/two': { value: [{ name: 'B', properties: { isActive: true } }] } } };

describe('a reset', () => {
  test('brings the alerts back to the seed, also what was listed before', async () => {
    const { ask, send, flagsOf } = await started();
    const before = await flagsOf(listOne);
    await send(turnOff);
    // Twice, so that the page is cached.
    for (const _ of [1, 2]) expect(await flagsOf(listOne)).not.toEqual(before);
    expect(jsonOf(await ask('POST', '/reset'))).toEqual({
      scopes: Object.keys(seed.scopes).length,
      alerts: expect.any(Number),
    });
    expect(await flagsOf(listOne)).toEqual(before);
  });

  test('removes what was added since, and lets a scan find it anew', async () => {
    const source: AssignmentSource = {
      read: async () => [{ scope: 'subscriptions/scanned', assignments: [], roles: [] }],
    };
    const scanner = scannerWith({ source, intervalMs: 3_600_000, thresholds: defaultThresholds });
    const { ask, send, ...service } = await started({ scanner });
    await service.scanner?.scanNow();
    const listScanned = { target: `/subscriptions/scanned${listPath}?${apiVersion}` };
    expect((await send(listScanned)).status).toBe(200);
    await ask('POST', '/reset');
    expect(errorOf(await send(listScanned))).toBe('404 ScopeNotFound');
    expect((await ask('POST', '/scan')).status).toBe(200);
    expect((await send(listScanned)).status).toBe(200);
  });

  test('brings the faults back to those of the start', async () => {
    const { ask, send } = await started({ faults: { rules: [{ limits: { times: 1 }, fault: { status: 418 } }] } });
    expect([(await send({ target: listOne })).status, (await send({ target: listOne })).status]).toEqual([418, 200]);
    await ask('PUT', '/faults', { rules: [{ fault: { status: 500 } }] });
    await ask('POST', '/reset');
    expect([(await send({ target: listOne })).status, (await send({ target: listOne })).status]).toEqual([418, 200]);
  });

  test('forgets failed logins', async () => {
    const { ask, send } = await started();
    const wrong = { target: listOne, headers: { authorization: 'Bearer wrong-token' } };
    for (let guess = 0; guess < 300; guess++) await send(wrong);
    expect(errorOf(await send(wrong))).toBe('429 TooManyWrongTokens');
    await ask('POST', '/reset');
    expect(errorOf(await send(wrong))).toBe('401 InvalidToken');
  });

  test('without a seed leaves no alerts', async () => {
    const { ask, alerts } = await started({ seed: undefined });
    await alerts.putAlert('subscriptions/one', { name: 'A' });
    expect(jsonOf(await ask('POST', '/reset'))).toEqual({ scopes: 0, alerts: 0 });
    expect(await alerts.readAlert('subscriptions/one', 'A')).toBeUndefined();
  });

  test('keeps tokens valid, and is in the audit trail', async () => {
    const { ask, send } = await started();
    await send(turnOff);
    await ask('POST', '/reset');
    expect((await send(turnOff)).status).toBe(204);
    expect(jsonOf(await ask('GET', '/audit'))).toMatchObject({
      records: [
        { action: 'update' },
        { action: 'reset', actorType: 'admin', actor: 'admin', clientAddress: '127.0.0.1', scope: null, alert: null },
        { action: 'update' },
      ],
    });
  });
});

describe('a new seed', () => {
  test('replaces the alerts, and is what a reset goes back to', async () => {
    const { ask, send, flagsOf } = await started();
    expect(jsonOf(await ask('PUT', '/seed', otherSeed))).toEqual({ scopes: 1, alerts: 1 });
    expect(errorOf(await send({ target: listOne }))).toBe('404 ScopeNotFound');
    expect(await flagsOf(listTwo)).toEqual([['B', true]]);
    await send({ ...turnOff, target: `/subscriptions/two${listPath}/B?${apiVersion}` });
    expect(await flagsOf(listTwo)).toEqual([['B', false]]);
    await ask('POST', '/reset');
    expect(await flagsOf(listTwo)).toEqual([['B', true]]);
  });

  test('may be larger than another request', async () => {
    const { ask } = await started();
    const value = Array.from({ length: 2000 }, (_, index) => ({ name: `A${index}`, properties: { isActive: true } }));
    expect(jsonOf(await ask('PUT', '/seed', { scopes: { s: { value } } }))).toEqual({ scopes: 1, alerts: 2000 });
    expect(errorOf(await ask('PUT', '/seed', ' '.repeat(4 * 1024 * 1024 + 1)))).toBe('413 BodyTooLarge');
    expect(errorOf(await ask('PUT', '/faults', ' '.repeat(20_000)))).toBe('413 BodyTooLarge');
  });

  test.each([
    ['no seed', { rules: [] }, '422 InvalidSeed'],
    ['a wrong flag', { scopes: { s: { value: [{ name: 'A', properties: { isActive: 'yes' } }] } } }, '422 InvalidSeed'],
    [
      'a number that would change',
      '{"scopes": {"s": {"value": [{"name": "A", "n": 1e400}]}}}',
      '400 MalformedDocument',
    ],
    ['a repeated scope', '{"scopes": {"s": {"value": []}, "s": {"value": []}}}', '400 MalformedDocument'],
  ])('with %s is refused as a file would be, and changes nothing', async (_, body, expected) => {
    const { ask, flagsOf } = await shared();
    const before = await flagsOf(listOne);
    expect(errorOf(await ask('PUT', '/seed', body))).toBe(expected);
    expect(await flagsOf(listOne)).toEqual(before);
    await ask('POST', '/reset');
    expect(await flagsOf(listOne)).toEqual(before);
  });
});

describe('the clock of an emulator', () => {
  test('is shown, goes forward by a duration or to a time, and is in the audit trail', async () => {
    const { ask } = await started();
    expect(jsonOf(await ask('GET', '/clock'))).toEqual({ now: '2026-11-22T00:00:00.000Z' });
    expect(jsonOf(await ask('POST', '/clock', { forwardBy: '1h30m' }))).toEqual({ now: '2026-11-22T01:30:00.000Z' });
    expect(jsonOf(await ask('POST', '/clock', { now: '2026-12-24T18:00:00Z' }))).toEqual({
      now: '2026-12-24T18:00:00.000Z',
    });
    expect(jsonOf(await ask('GET', '/audit'))).toMatchObject({ records: [{ action: 'clock' }, { action: 'clock' }] });
  });

  test('ends tokens, dates updates and starts scans', async () => {
    let scans = 0;
    const source: AssignmentSource = {
      async read() {
        scans += 1;
        return [];
      },
    };
    const scanner = scannerWith({ source, intervalMs: 3_600_000, thresholds: defaultThresholds });
    const { ask, send, base } = await started({ scanner });
    const granted = await send({
      method: 'POST',
      target: '/common/oauth2/token',
      headers: { authorization: '', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'operator',
        client_secret: 's3cret/with:odd +chars%',
      }).toString(),
    });
    const { access_token: token } = jsonOf(granted) as { access_token: string };
    const list = async () => (await send({ target: listOne, headers: { authorization: `Bearer ${token}` } })).status;
    await expect.poll(() => scans).toBe(1);
    expect(await list()).toBe(200);
    await ask('POST', '/clock', { forwardBy: '1h' });
    await base.advance(0);
    expect(await list()).toBe(401);
    await expect.poll(() => scans).toBe(2);
    await send(turnOff);
    const [alert] = listOf(await send({ target: listOne })).value;
    expect(alert?.systemData).toMatchObject({ lastModifiedAt: '2026-11-22T01:00:00.000Z' });
  });

  test('is the Date of every response, whichever port and whatever the request', async () => {
    const { ask, send, url } = await started();
    const dates = async () => [
      (await ask('GET', '/clock')).headers['date'],
      (await send({ target: listOne })).headers['date'],
      await dateOf(url, malformed),
    ];
    const expected = (date: string) => [date, date, date];
    expect(await dates()).toEqual(expected('Sun, 22 Nov 2026 00:00:00 GMT'));
    await ask('POST', '/clock', { forwardBy: '36h' });
    expect(await dates()).toEqual(expected('Mon, 23 Nov 2026 12:00:00 GMT'));
    await ask('PUT', '/faults', { rules: [{ fault: { huge: { bytes: 1 } } }] });
    expect(await dates()).toEqual(expected('Mon, 23 Nov 2026 12:00:00 GMT'));
  });

  test.each([
    ['backward', { now: '2026-11-21T23:59:59Z' }],
    ['by no duration', { forwardBy: '-1h' }],
    ['by too much', { forwardBy: '9999999h' }],
    ['to a time that is too late', { now: '2126-11-22T00:00:00Z' }],
    ['to no time', { now: 'tomorrow' }],
    ['in two ways', { now: '2026-12-24T18:00:00Z', forwardBy: '1h' }],
    ['in no way', {}],
    ['in an unknown way', { backBy: '1h' }],
  ])('is not set %s', async (_, body) => {
    const { ask } = await shared();
    const refused = await ask('POST', '/clock', body);
    expect([refused.status, jsonOf(refused)]).toMatchObject([422, { error: { code: 'InvalidClock' } }]);
    expect(jsonOf(await ask('GET', '/clock'))).toEqual({ now: '2026-11-22T00:00:00.000Z' });
  });
});

describe('a service that is not an emulator', () => {
  test.each([
    ['POST', '/reset', undefined],
    ['PUT', '/seed', otherSeed],
    ['GET', '/clock', undefined],
    ['POST', '/clock', { forwardBy: '1h' }],
  ])('refuses %s %s, and changes nothing', async (method, target, body) => {
    const { ask, send, flagsOf } = await sharedPlain();
    await send(turnOff);
    const before = await flagsOf(listOne);
    expect(errorOf(await ask(method, target, body))).toBe('403 NotAnEmulator');
    expect(await flagsOf(listOne)).toEqual(before);
  });
});

describe('an emulator', () => {
  test('needs an admin port', async () => {
    const clock = createForwardClock(new ManualClock());
    const start = startAlertsService(serviceOptions({ clock, emulatorClock: clock }));
    await expect(start).rejects.toMatchObject({ code: 'usage', message: 'An emulator needs an admin port (--admin).' });
  });

  test('has no data file, so that none can be emptied', async () => {
    await expect(started({ dataFile: '/nowhere/state.db' })).rejects.toMatchObject({
      code: 'usage',
      message: 'An emulator keeps its state in memory: remove --data and --database.',
    });
  });
});

describe('a long seed', () => {
  const token = new SecretText('admin-token-of-this-test');

  test.each([
    ['no token', '', 'HTTP/1.1 401 Unauthorized'],
    ['a wrong token', 'Authorization: Bearer wrong\r\n', 'HTTP/1.1 401 Unauthorized'],
  ])('with %s is refused before it has arrived', async (_, headers, status) => {
    const { adminURL = '' } = await started({ admin: { ...admin, token } });
    expect(await answerToBeginning(adminURL, headers)).toBe(status);
  });

  test('of a web page is refused before it has arrived', async () => {
    const { adminURL = '' } = await started();
    expect(await answerToBeginning(adminURL, 'Origin: https://evil.example\r\n')).toBe('HTTP/1.1 403 Forbidden');
  });

  test('of a caller with the token is read to its end', async () => {
    const { adminURL = '' } = await started({ admin: { ...admin, token } });
    const notes = Array.from({ length: 40 }, (_, index) => ({
      name: `A${index}`,
      properties: { note: 'x'.repeat(1000) },
    }));
    const body = JSON.stringify({ scopes: { 'subscriptions/two': { value: notes } } });
    const headers = { ...json, authorization: `Bearer ${token.reveal()}` };
    const received = await sendOverSocket(adminURL, { method: 'PUT', target: '/seed', headers, body }, () => []);
    expect([received.status, jsonOf(received)]).toEqual([200, { scopes: 1, alerts: 40 }]);
  });
});
