// The admin port over a socket: its callers, its changes, and that it is off by default.
import { once } from 'node:events';
import { createServer } from 'node:net';

import { describe, expect, onTestFinished, test } from 'vitest';

import { silentLogger } from '../../src/lib/log.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import type { AssignmentSource } from '../../src/service/scanner/assignments.ts';
import { defaultThresholds } from '../../src/service/scanner/kinds.ts';
import { scannerWith } from '../../src/service/scanner/scanner.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';
import {
  endingWithTest,
  json,
  listOne,
  shareOne,
  startService,
  startWithAdmin,
  turnOff,
} from '../support/servers/alerts-service-cases.ts';
import { errorOf, jsonOf, sendOverSocket } from '../support/servers/alerts-service.ts';

const withToken = {
  admin: { listen: { host: '127.0.0.1', port: 0 }, token: new SecretText('admin-token-of-the-tests') },
};

const started = endingWithTest(startWithAdmin);
const shared = shareOne(startWithAdmin);
const sharedWithToken = shareOne(() => startWithAdmin(withToken));

const teapot = { seed: 5, rules: [{ limits: { times: 2 }, fault: { status: 418 } }] };
const put = { headers: json, body: JSON.stringify(teapot) };
const none = { headers: json, body: '{"rules": []}' };

describe('a start', () => {
  const addressOf = (url: string) => ({ host: '127.0.0.1', port: Number(new URL(url).port) });

  test('opens no admin port when the address of the service is in use, since /healthz means that the service listens', async () => {
    const messages: string[] = [];
    const log = { ...silentLogger, info: (_: object, message: string) => void messages.push(message) };
    const { url } = await started();
    await expect(started({ log, listen: addressOf(url) })).rejects.toThrow(/^Cannot listen on/);
    expect(messages).not.toContain('admin port started');
  });

  test('leaves nothing behind when the address of the admin port is in use', async () => {
    const first = await started();
    const { url, adminURL = '' } = first;
    await first.stop();
    const other = createServer().listen(Number(new URL(adminURL).port), '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const listen = addressOf(url);
    await expect(started({ admin: { listen: addressOf(adminURL) }, listen })).rejects.toThrow(/^Cannot listen on/);
    await expect(startService({ listen })).resolves.toMatchObject({ url });
  });
});

describe('faults', () => {
  test('are none at the start, are there after PUT, and are gone after PUT of none', async () => {
    const { ask, send } = await started();
    expect(jsonOf(await ask('GET', '/faults'))).toEqual({ seed: 0, rules: [] });
    expect((await send({ target: listOne })).status).toBe(200);
    const replaced = await ask('PUT', '/faults', put);
    const rule = teapot.rules[0]!;
    expect([replaced.status, jsonOf(replaced)]).toEqual([200, { seed: 5, rules: [{ ...rule, matched: 0, met: 0 }] }]);
    for (const status of [418, 418, 200]) expect((await send({ target: listOne })).status).toBe(status);
    expect(jsonOf(await ask('GET', '/faults'))).toEqual({ seed: 5, rules: [{ ...rule, matched: 3, met: 2 }] });
    await ask('PUT', '/faults', put);
    expect((await ask('PUT', '/faults', none)).status).toBe(200);
    expect((await send({ target: listOne })).status).toBe(200);
    expect(jsonOf(await ask('GET', '/faults'))).toEqual({ seed: 0, rules: [] });
  });

  test('may be sent as YAML', async () => {
    const { ask, send } = await started();
    const body = 'rules:\n  - fault: {status: 418} # short and stout\n';
    expect((await ask('PUT', '/faults', { headers: { 'content-type': 'application/yaml' }, body })).status).toBe(200);
    expect((await send({ target: listOne })).status).toBe(418);
  });

  test('that are wrong are refused with every problem, and those before stay', async () => {
    const { ask, send } = await started();
    await ask('PUT', '/faults', put);
    const rules = [{ fault: { status: 1 } }, { fault: {} }];
    const refused = await ask('PUT', '/faults', { headers: json, body: JSON.stringify({ rules }) });
    expect([refused.status, jsonOf(refused)]).toEqual([
      422,
      {
        error: {
          code: 'InvalidScript',
          message: 'The script is invalid; the previous one stays in force.',
          problems: [
            'rules[0].fault.status must be a whole number from 200 to 599',
            expect.stringMatching(/^rules\[1\]\.fault must name exactly one of latency, /),
          ],
        },
      },
    ]);
    expect((await send({ target: listOne })).status).toBe(418);
  });

  test('that end leave alerts alone that wait to be raised again', async () => {
    const clock = new ManualClock();
    const { ask, send, alerts } = await started({
      clock,
      faults: { rules: [{ fault: { reRaise: { afterMs: 10 } } }] },
    });
    await send(turnOff);
    await ask('PUT', '/faults', none);
    await clock.advance(1000);
    expect(alerts.readAlert('subscriptions/one', 'A')).toMatchObject({ properties: { isActive: false } });
  });

  test.each([
    { name: 'no media type', headers: {}, body: '{}', expected: '415 UnsupportedMediaType' },
    { name: 'neither JSON nor YAML', headers: json, body: '{"rules": [', expected: '400 MalformedDocument' },
    { name: 'too much', headers: json, body: ' '.repeat(17_000), expected: '413 BodyTooLarge' },
  ])('are refused as $name', async ({ headers, body, expected }) => {
    const { ask } = await shared();
    expect(errorOf(await ask('PUT', '/faults', { headers, body }))).toBe(expected);
  });
});

describe('a request to the admin port', () => {
  test.each([
    { method: 'GET', target: '/constructor', expected: '404 RouteNotFound' },
    { method: 'POST', target: '/faults', expected: '405 MethodNotAllowed' },
    { method: 'GET', target: '/scan', expected: '405 MethodNotAllowed' },
  ])('$method $target is answered $expected', async ({ method, target, expected }) => {
    expect(errorOf(await (await shared()).ask(method, target))).toBe(expected);
  });

  test.each([
    { name: 'for localhost', headers: { host: 'LOCALHOST:1234' }, expected: 200 },
    { name: 'for IPv6', headers: { host: '[::1]:1234' }, expected: 200 },
    { name: 'for a name that was made to point here', headers: { host: 'evil.example:80' }, expected: 403 },
    {
      name: 'for a name that resembles a loopback address',
      headers: { host: '127.0.0.1.evil.example' },
      expected: 403,
    },
    { name: 'from a page', headers: { origin: 'https://evil.example' }, expected: 403 },
    { name: 'from a page that hides where it is from', headers: { origin: 'null' }, expected: 403 },
  ])('without a token, $name, is answered $expected', async ({ headers, expected }) => {
    const { ask } = await shared();
    for (const target of ['/faults', '/healthz']) {
      const { status, text } = await ask('GET', target, { headers });
      expect([status, text.includes('"ForeignRequest"')]).toEqual([expected, expected === 403]);
    }
  });

  test.each([
    { name: 'no token', authorization: '', expected: 401 },
    { name: 'another token', authorization: 'Bearer admin-token-of-the-testz', expected: 401 },
    { name: 'the token', authorization: 'bearer admin-token-of-the-tests', expected: 200 },
  ])('with $name, where one is needed, is answered $expected', async ({ authorization, expected }) => {
    const { ask } = await sharedWithToken();
    const answer = await ask('GET', '/faults', { headers: { authorization, host: 'admin.example' } });
    expect(answer.status).toBe(expected);
    const challenge = expected === 401 ? 'Bearer realm="rolealerts admin"' : undefined;
    expect(answer.headers['www-authenticate']).toBe(challenge);
  });

  test('with wrong tokens is refused unchecked after a hundred in a minute, but not with the token where it was right before', async () => {
    const clock = new ManualClock();
    const { ask } = await started({ ...withToken, clock });
    const { ask: askNew } = await started({ ...withToken, clock });
    const asked = async (by: typeof ask, token: string) =>
      (await by('GET', '/faults', { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await asked(ask, 'admin-token-of-the-tests')).toBe(200);
    for (const by of [ask, askNew]) {
      const statuses: number[] = [];
      for (let guess = 0; guess <= 100; guess++) statuses.push(await asked(by, `guess-${guess}`));
      expect(statuses).toEqual([...Array.from({ length: 100 }, () => 401), 429]);
    }
    const refused = await askNew('GET', '/faults', { headers: { authorization: 'Bearer admin-token-of-the-tests' } });
    expect([errorOf(refused), refused.headers['retry-after']]).toEqual(['429 TooManyWrongTokens', '60']);
    expect(await asked(ask, 'admin-token-of-the-tests')).toBe(200);
    await clock.advance(60_000);
    expect(await asked(askNew, 'admin-token-of-the-tests')).toBe(200);
  });

  test('for the probe needs no token', async () => {
    const { ask } = await started(withToken);
    expect(jsonOf(await ask('GET', '/healthz', { headers: { host: '10.1.2.3:8080' } }))).toEqual({ status: 'ok' });
    expect((await ask('PUT', '/faults', none)).status).toBe(401);
  });
});

const oneScope: AssignmentSource = {
  read: async () => [{ scope: 'subscriptions/one', assignments: [], roles: [] }],
};
const scannerOf = (source: AssignmentSource) => ({
  scanner: scannerWith({ source, intervalMs: 3_600_000, thresholds: defaultThresholds }),
});
describe('a scan', () => {
  test('is run on request, and its numbers are the answer', async () => {
    const { ask, alerts } = await started(scannerOf(oneScope));
    const answer = await ask('POST', '/scan');
    expect([answer.status, jsonOf(answer)]).toMatchObject([200, { scopes: 1, raised: 0 }]);
    expect(alerts.readAlert('subscriptions/one', 'TooManyOwnersAssignedToResource')).toBeDefined();
  });

  test('is not there without a scanner', async () => {
    expect(errorOf(await (await shared()).ask('POST', '/scan'))).toBe('404 NoScanner');
  });
});

describe('the admin port', () => {
  test('is off by default', async () => {
    const service = await startService();
    expect(service.adminURL).toBeUndefined();
    for (const target of ['/faults', '/scan', '/healthz']) {
      expect((await sendOverSocket(service.url, { target })).status).not.toBe(200);
    }
  });

  test('without a token is refused on any other address than loopback', async () => {
    const admin = { listen: { host: '0.0.0.0', port: 0 } };
    await expect(started({ admin })).rejects.toThrow(/^Set an admin token/);
    const { ask } = await started({ admin: { ...admin, token: new SecretText('another-admin-token') } });
    expect((await ask('GET', '/faults', { headers: { authorization: 'Bearer another-admin-token' } })).status).toBe(
      200,
    );
  });
});
