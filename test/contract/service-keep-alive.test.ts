// What the service remembers of a connection never decides about a request: each case sends requests on one connection whose heads
// are equal or almost equal, and between them changes something that the response depends on.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, test } from 'vitest';

import { createFlatLogger } from '../../src/lib/flat-log.ts';
import { startAlertsService } from '../../src/service/server.ts';
import type { AlertsServiceOptions } from '../../src/service/service-options.ts';
import { openConnection } from '../support/rigs/keep-alive-connection.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';
import { clientsWith, operator, reader, tokenOf } from '../support/rigs/oauth-rig.ts';
import type { RawAnswer } from '../support/rigs/raw-http.ts';
import { until } from '../support/rigs/until.ts';
import { listOne, seed } from '../support/servers/alerts-service-cases.ts';
import {
  apiVersion,
  listPath,
  sendOverSocket,
  serviceOptions,
  staticToken,
  type ListBody,
  type Sent,
} from '../support/servers/alerts-service.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function started(options: Partial<AlertsServiceOptions> = {}) {
  const lines: Record<string, unknown>[] = [];
  const sink = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  const accessLog = createFlatLogger({ level: 'info', format: 'json', sink });
  const base = { seed, accessLog, clients: clientsWith(), publicURL: 'http://service.test' };
  const service = await startAlertsService(serviceOptions({ ...base, ...options }));
  stops.push(() => service.stop());
  const connection = await openConnection(service.url);
  stops.push(() => connection.close());
  const send = (sent: Sent) => sendOverSocket(service.url, sent, () => []);
  const tokenFor = (client: typeof operator) => tokenOf({ ...service, send, origin: service.url }, client);
  return { ...service, ask: connection.ask, send, tokenFor, lines };
}

const get = `GET ${listOne} HTTP/1.1`;
const host = 'Host: service.test';
const withToken = (token = staticToken) => `Authorization: Bearer ${token}`;
const errorOf = ({ status, text }: RawAnswer) => [
  status,
  (JSON.parse(text || '{}') as { error?: { code?: string } }).error?.code,
];
const listOf = ({ text }: RawAnswer) => JSON.parse(text) as ListBody;
const namesOf = (answer: RawAnswer) => listOf(answer).value.map(({ name }) => name);

describe('a request that repeats the headers of the one before it', () => {
  test('has the same response, with an id of its own', async () => {
    const { ask, lines } = await started();
    const answers = [];
    for (let count = 0; count < 3; count++) answers.push(await ask(get, host, withToken()));
    const ids = answers.map(({ headers }) => headers['x-request-id']);
    expect(answers.map(namesOf)).toEqual(Array.from({ length: 3 }, () => ['A', 'B', 'C', 'D', 'E']));
    expect(new Set(ids).size).toBe(3);
    expect(lines.map(({ requestID }) => requestID)).toEqual(ids);
  });

  test('keeps the id that it brings', async () => {
    const { ask } = await started();
    const idOf = async (id: string) =>
      (await ask(get, host, withToken(), `X-Request-ID: ${id}`)).headers['x-request-id'];
    expect([await idOf('one'), await idOf('one'), await idOf('two'), await idOf('one')]).toEqual([
      'one',
      'one',
      'two',
      'one',
    ]);
  });

  test('gets 401 once its token has expired', async () => {
    const clock = new ManualClock();
    const { ask, tokenFor } = await started({ clock, tokenLifetimeMs: 60_000 });
    const token = await tokenFor(operator);
    const list = async () => errorOf(await ask(get, host, withToken(token)));
    await clock.advance(59_000);
    expect([await list(), await list()].map(([status]) => status)).toEqual([200, 200]);
    await clock.advance(1000);
    expect(await list()).toEqual([401, 'InvalidToken']);
  });

  test('has the permissions that its client has now', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rolealerts-keep-alive-'));
    stops.push(() => rm(folder, { recursive: true }));
    const registrationsFile = join(folder, 'registrations.yaml');
    const clock = new ManualClock();
    const register = (...lines: readonly string[]) =>
      writeFile(registrationsFile, ['clients:', '  - id: other', '    secret: s', ...lines, ''].join('\n'));
    const operatorLines = ['  - id: filed', '    secret: f'];
    await register(...operatorLines);
    const { ask, tokenFor } = await started({ clock, registrationsFile });
    const timers = clock.pendingTimers;
    const token = await tokenFor({ id: 'filed', secret: 'f' });
    const list = async () => errorOf(await ask(get, host, withToken(token)));
    const reread = async (...lines: readonly string[]) => {
      await register(...lines);
      // The next check, and the time in which a change settles.
      for (const ms of [30_000, 5000]) {
        await clock.advance(ms);
        await until(() => clock.pendingTimers === timers, 'the registrations are read');
      }
    };
    expect([await list(), await list()].map(([status]) => status)).toEqual([200, 200]);
    await reread(...operatorLines, '    resourceScopes: [subscriptions/two]');
    expect(await list()).toEqual([403, 'ScopeForbidden']);
    await reread(...operatorLines, '    resourceScopes: [subscriptions/one]');
    expect((await list())[0]).toBe(200);
    await reread();
    expect(await list()).toEqual([401, 'InvalidToken']);
  });

  test('counts for the rate of its caller', async () => {
    const clock = new ManualClock();
    const { ask } = await started({ clock, requestsPerSecond: 0.2 });
    const list = async () => errorOf(await ask(get, host, withToken()));
    expect([await list(), await list(), await list()]).toEqual([
      [200, undefined],
      [200, undefined],
      [429, 'TooManyRequests'],
    ]);
    await clock.advance(5000);
    expect([(await list())[0], (await list())[0]]).toEqual([200, 429]);
  });

  test('sees what has changed since', async () => {
    const { ask, alerts } = await started();
    const activeOf = async () => listOf(await ask(get, host, withToken())).value[0]?.properties['isActive'];
    expect([await activeOf(), await activeOf()]).toEqual([true, true]);
    await alerts.setActive('subscriptions/one', 'A', false, { by: 'ada', byType: 'User' });
    expect(await activeOf()).toBe(false);
  });
});

describe('a request on the connection of another one', () => {
  test('with a token that differs in one character is another caller', async () => {
    const { ask, lines } = await started();
    const wrong = `${staticToken.slice(0, -1)}x`;
    const statuses = [];
    for (const token of [staticToken, wrong, staticToken, wrong]) {
      statuses.push((await ask(get, host, withToken(token))).status);
    }
    expect(statuses).toEqual([200, 401, 200, 401]);
    expect(lines.map(({ principal }) => principal)).toEqual(['static-token', 'none', 'static-token', 'none']);
  });

  test('with the token of another client has that client’s permissions', async () => {
    const { ask, tokenFor } = await started();
    const [one, other] = [await tokenFor(operator), await tokenFor(reader)];
    const patch = `PATCH /subscriptions/one${listPath}/A?${apiVersion} HTTP/1.1`;
    const statuses = [];
    for (const [line, token] of [
      [get, one],
      [get, other],
      [patch, other],
      [patch, one],
    ] as const) {
      statuses.push((await ask(line, host, withToken(token))).status);
    }
    // The client may update, but the request has no body.
    expect(statuses).toEqual([200, 200, 403, 415]);
  });

  test('has the fields of its own in the access log', async () => {
    const rules = [{ match: { routes: ['update-alert'] }, fault: { status: 503 } }];
    const { ask, lines } = await started({ faults: { rules } });
    const patch = `PATCH /subscriptions/one${listPath}/A?${apiVersion} HTTP/1.1`;
    const requests = [
      [get, host, withToken()],
      [get, host, withToken()],
      [get, host],
      [get.replace('GET', 'OPTIONS'), host],
      [get.replace('one', 'unknown'), host, withToken()],
      [patch, host, withToken()],
      ['GET /nowhere HTTP/1.1', host, withToken()],
      [get, host, withToken()],
    ];
    for (const head of requests) await ask(...head);
    const facts = lines.map(({ method, route, status, principal, code, fault }) =>
      [method, route, status, principal, code, fault].join(' ').trim(),
    );
    expect(facts).toEqual([
      'GET list-alerts 200 static-token',
      'GET list-alerts 200 static-token',
      'GET list-alerts 401 none AuthenticationRequired',
      'OPTIONS list-alerts 204 none',
      'GET list-alerts 404 static-token ScopeNotFound',
      'PATCH update-alert 503 none DatabaseUnavailable status',
      'GET unknown 404 none RouteNotFound',
      'GET list-alerts 200 static-token',
    ]);
    expect(
      lines.every(({ durationMs, clientAddress }) => Number(durationMs) >= 0 && clientAddress === '127.0.0.1'),
    ).toBe(true);
  });

  test('with another order, another header or one header less is read anew', async () => {
    const { ask } = await started();
    const heads = [
      [host, withToken()],
      [withToken(), host],
      [host, withToken(), 'Accept: */*'],
      [host],
      [host, withToken()],
      [host, 'Authorization: Bearer'],
    ];
    const statuses = [];
    for (const head of heads) statuses.push((await ask(get, ...head)).status);
    expect(statuses).toEqual([200, 200, 200, 401, 200, 401]);
  });

  test('with another Host has links to that host', async () => {
    const { publicURL: _, ...options } = serviceOptions({ seed, pageSize: 1 });
    const service = await startAlertsService(options);
    stops.push(() => service.stop());
    const { ask, close } = await openConnection(service.url);
    stops.push(close);
    const originOf = async (...head: readonly string[]) =>
      listOf(await ask(...head, withToken())).nextLink?.replace(/(?<=[a-z])\/.*/, '');
    expect(await originOf(get, 'Host: one.example')).toBe('http://one.example');
    expect(await originOf(get, 'Host: two.example')).toBe('http://two.example');
    expect(await originOf(`GET http://three.example${listOne} HTTP/1.1`, 'Host: two.example')).toBe(
      'http://three.example',
    );
    expect(await originOf(get, 'Host: two.example')).toBe('http://two.example');
  });

  test('from another client behind a proxy has the address of that client', async () => {
    const { ask, lines } = await started({ trustedProxies: ['127.0.0.1'] });
    for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.1']) {
      await ask(get, host, withToken(), `X-Forwarded-For: ${address}`);
    }
    const addresses = lines.map(({ clientAddress }) => clientAddress);
    expect(addresses).toEqual(['192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.1']);
  });

  test('with another spelling of the target lists the same alerts, and links as the target was sent', async () => {
    const { ask } = await started({ pageSize: 1 });
    const upper = listOne.replace('subscriptions/one', 'SUBSCRIPTIONS/One');
    const pages = [];
    for (const target of [listOne, upper, listOne]) pages.push(await ask(`GET ${target} HTTP/1.1`, host, withToken()));
    expect(pages.map(namesOf)).toEqual([['A'], ['A'], ['A']]);
    const paths = pages.map((page) => new URL(listOf(page).nextLink ?? '').pathname.replace(listPath, ''));
    expect(paths).toEqual(['/subscriptions/one', '/SUBSCRIPTIONS/One', '/subscriptions/one']);
  });

  test('with another method or scope is that request', async () => {
    const { ask } = await started();
    const head = [host, withToken()];
    const answers = [
      await ask(get, ...head),
      await ask(`HEAD ${listOne} HTTP/1.1`, ...head),
      await ask(`OPTIONS ${listOne} HTTP/1.1`, ...head),
      await ask(`DELETE ${listOne} HTTP/1.1`, ...head),
      await ask(`GET /subscriptions/unknown${listPath}?${apiVersion} HTTP/1.1`, ...head),
      await ask(`GET /subscriptions/empty${listPath}?${apiVersion} HTTP/1.1`, ...head),
      await ask(get, ...head),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 204, 405, 404, 200, 200]);
    expect(answers.map(({ text }) => text.length > 0)).toEqual([true, false, false, true, true, true, true]);
  });

  test('without a Host is accepted in HTTP/1.0 only', async () => {
    const { ask } = await started();
    const old = `GET ${listOne} HTTP/1.0`;
    const head = ['Connection: keep-alive', withToken()];
    expect((await ask(old, ...head)).status).toBe(200);
    expect(errorOf(await ask(get, ...head))).toEqual([400, 'InvalidTarget']);
  });

  test('with two Hosts is refused', async () => {
    const { ask } = await started();
    expect((await ask(get, host, withToken())).status).toBe(200);
    expect(errorOf(await ask(get, host, host, withToken()))).toEqual([400, 'InvalidTarget']);
    expect((await ask(get, host, withToken())).status).toBe(200);
  });

  test('for an https target is refused, whatever the headers', async () => {
    const { ask } = await started();
    expect((await ask(get, host, withToken())).status).toBe(200);
    const secure = `GET https://service.test${listOne} HTTP/1.1`;
    expect(errorOf(await ask(secure, host, withToken()))).toEqual([400, 'InvalidTarget']);
    expect(errorOf(await ask('GET * HTTP/1.1', host, withToken()))).toEqual([400, 'InvalidTarget']);
  });
});
