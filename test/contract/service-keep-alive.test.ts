// What the service remembers of a connection never decides about a request: each case sends requests on one connection whose heads
// are equal or almost equal, and between them changes something that the response depends on.

import { describe, expect, onTestFinished, test } from 'vitest';

import { createFlatLogger } from '../../src/lib/flat-log.ts';
import type { AlertsServiceOptions } from '../../src/service/service-options.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';
import { clientsWith, operator, tokenOf } from '../support/rigs/oauth-rig.ts';
import { openConnection, type RawAnswer } from '../support/rigs/raw-http.ts';
import { listOne, startService } from '../support/servers/alerts-service-cases.ts';
import {
  apiVersion,
  listPath,
  sendOverSocket,
  staticToken,
  type ListBody,
  type Sent,
} from '../support/servers/alerts-service.ts';

async function started(options: Partial<AlertsServiceOptions> = {}) {
  const lines: Record<string, unknown>[] = [];
  const sink = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  const accessLog = createFlatLogger({ level: 'info', format: 'json', sink });
  const base = { accessLog, clients: clientsWith(), publicURL: 'http://service.test' };
  const service = await startService({ ...base, ...options });
  const connection = await openConnection(service.url);
  onTestFinished(() => connection.close());
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
    expect(new Set(answers.map(({ headers }) => headers['keep-alive']))).toEqual(new Set(['timeout=60']));
    expect(lines.map(({ requestID }) => requestID)).toEqual(ids);
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

  test('gets the response that it would get alone, however little differs', async () => {
    const { ask } = await started();
    const withLine = (from: string, to: string) => [get.replace(from, to), host, withToken()];
    const requests: readonly (readonly [readonly string[], number])[] = [
      [[get, host, withToken()], 200],
      [[get, withToken(), host], 200],
      [[get, host, withToken(), 'Accept: */*'], 200],
      [[get, host], 401],
      [[get, host, 'Authorization: Bearer'], 401],
      [withLine('GET', 'HEAD'), 200],
      [withLine('GET', 'OPTIONS'), 204],
      [withLine('GET', 'DELETE'), 405],
      [withLine('one', 'unknown'), 404],
      [withLine('one', 'empty'), 200],
      [[get.replace('/1.1', '/1.0'), 'Connection: keep-alive', withToken()], 200],
      [[get, host, host, withToken()], 400],
      [withLine('GET ', 'GET https://service.test'), 400],
      [withLine(listOne, '*'), 400],
      [[get, host, withToken()], 200],
      [[get, withToken()], 400],
    ];
    const statuses: (readonly [string, number])[] = [];
    for (const [head] of requests) statuses.push([head.join(), (await ask(...head)).status]);
    expect(statuses).toEqual(requests.map(([head, status]) => [head.join(), status]));
  });

  test('has the fields of its own in the access log', async () => {
    const rules = [{ match: { routes: ['update-alert'] }, fault: { status: 503 } }];
    const { ask, lines, tokenFor } = await started({ faults: { rules }, trustedProxies: ['127.0.0.1'] });
    const token = await tokenFor(operator);
    lines.length = 0;
    const patch = `PATCH /subscriptions/one${listPath}/A?${apiVersion} HTTP/1.1`;
    const requests = [
      [get, host, withToken()],
      [get.replace('GET', 'HEAD'), host, withToken()],
      [get, host, withToken(token)],
      [get, host],
      [get.replace('GET', 'OPTIONS'), host],
      [get.replace(`?${apiVersion}`, ''), host, withToken()],
      [get.replace(apiVersion, 'api-version=x'), host, withToken()],
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
      'HEAD list-alerts 200 static-token',
      'GET list-alerts 200 client',
      'GET list-alerts 401 none AuthenticationRequired',
      'OPTIONS list-alerts 204 none',
      'GET list-alerts 400 static-token MissingApiVersion',
      'GET list-alerts 400 static-token UnsupportedApiVersion',
      'GET list-alerts 404 static-token ScopeNotFound',
      'PATCH update-alert 503 none DatabaseUnavailable status',
      'GET unknown 404 none RouteNotFound',
      'GET list-alerts 200 static-token',
    ]);
    expect(lines.every(({ durationMs }) => Number(durationMs) >= 0)).toBe(true);
    for (const client of ['192.0.2.8', '192.0.2.9']) await ask(get, host, withToken(), `X-Forwarded-For: ${client}`);
    expect(lines.slice(-3).map(({ clientAddress }) => clientAddress)).toEqual(['127.0.0.1', '192.0.2.8', '192.0.2.9']);
  });
});
