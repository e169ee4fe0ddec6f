// What the admin port of an emulator does to the whole state, and that no other service offers it.
import { describe, expect, test } from 'vitest';

import { SecretText } from '../../src/lib/secret-text.ts';
import { createForwardClock } from '../../src/service/emulator/forward-clock.ts';
import type { AssignmentSource } from '../../src/service/scanner/assignments.ts';
import { defaultThresholds } from '../../src/service/scanner/kinds.ts';
import { scannerWith } from '../../src/service/scanner/scanner.ts';
import { serviceDefaults, type AlertsServiceOptions } from '../../src/service/service-options.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';
import { answerTo } from '../support/rigs/raw-http.ts';
import {
  endingWithTest,
  json,
  listOne,
  seed,
  shareOne,
  startWithAdmin,
  turnOff,
} from '../support/servers/alerts-service-cases.ts';
import { apiVersion, errorOf, jsonOf, listOf, listPath } from '../support/servers/alerts-service.ts';

async function start(options: Partial<AlertsServiceOptions> = {}, isEmulator = true) {
  const base = new ManualClock(Date.UTC(2026, 10, 22));
  const clock = createForwardClock(base);
  const emulator = isEmulator ? { emulatorClock: clock } : {};
  const { auditRetentionMs } = serviceDefaults;
  const service = await startWithAdmin({ clock, auditRetentionMs, ...emulator, ...options });
  const ask = (method: string, target: string, body?: unknown) =>
    service.ask(method, target, {
      headers: json,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const flagsOf = async (target: string) =>
    listOf(await service.send({ target })).value.map(({ name, properties }) => [name, properties['isActive']]);
  return { ...service, base, clock, ask, flagsOf };
}

const started = endingWithTest(start);
const shared = shareOne(start);
const sharedPlain = shareOne(() => start({}, false));

const malformed = 'GET / HTTP/9.9\r\n\r\n';

/** The Date header of the response to `bytes`. */
const dateOf = async (url: string, bytes: string) => /^Date: (.*)\r$/im.exec(await answerTo(url, bytes))?.[1];

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

  test.each([
    ['a wrong flag', { scopes: { s: { value: [{ name: 'A', properties: { isActive: 'yes' } }] } } }, '422 InvalidSeed'],
    [
      'a number that would change',
      '{"scopes": {"s": {"value": [{"name": "A", "n": 1e400}]}}}',
      '400 MalformedDocument',
    ],
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
    ['by too much', { forwardBy: '9999999h' }],
    ['to a time that is too late', { now: '2126-11-22T00:00:00Z' }],
    ['in two ways', { now: '2026-12-24T18:00:00Z', forwardBy: '1h' }],
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
  test('has no data file, so that none can be emptied', async () => {
    await expect(started({ dataFile: '/nowhere/state.db' })).rejects.toMatchObject({
      code: 'usage',
      message: 'An emulator keeps its state in memory: remove --data and --database.',
    });
  });
});

test('a long seed with no token is refused before it has arrived', async () => {
  const admin = { listen: { host: '127.0.0.1', port: 0 }, token: new SecretText('admin-token-of-this-test') };
  const { adminURL = '' } = await started({ admin });
  const type = 'Content-Type: application/json\r\nContent-Length: 1000000\r\n';
  const answer = await answerTo(adminURL, `PUT /seed HTTP/1.1\r\nHost: 127.0.0.1\r\n${type}\r\n${' '.repeat(20_000)}`);
  expect(answer).toMatch(/^HTTP\/1\.1 401 /);
});
