// The limits of one client, over real sockets: each limit, its response, and that other clients are unaffected. Timeouts
// are short here; whatever happens before one is over is awaited, never timed.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

import { describe, expect, onTestFinished, test } from 'vitest';

import { SecretText } from '../../src/lib/secret-text.ts';
import { type RunningAlertsService, startAlertsService } from '../../src/service/server.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';
import { answerTo } from '../support/rigs/raw-http.ts';
import { alertA, listOne, seed, shareOne, startService, turnOff } from '../support/servers/alerts-service-cases.ts';
import { sendOverSocket, serviceOptions, staticToken } from '../support/servers/alerts-service.ts';

async function open({ url }: RunningAlertsService): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  // A connection that is cut off may end with a reset: the test checks what came before.
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const isAlive = async ({ url }: RunningAlertsService) =>
  (await sendOverSocket(url, { target: listOne })).status === 200;

/** `STATUS CODE`, of a response with the body of section 2.8 that says that the connection ends; else the whole of it. */
function brokenOf(answer: string): string {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1];
  const isWhole =
    head.includes('\r\nConnection: close') &&
    head.includes('\r\nContent-Type: application/json; charset=utf-8') &&
    head.includes(`\r\nContent-Length: ${Buffer.byteLength(body)}`);
  if (!isWhole) return answer;
  const { error } = JSON.parse(body) as { error: { code: string; message: string } };
  return `${status} ${error.code}`;
}

const withHost = (host: string, target = listOne) =>
  `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${staticToken}\r\n`;
const authorized = `Host: x\r\nAuthorization: Bearer ${staticToken}`;
const head = `GET ${listOne} HTTP/1.1\r\n${authorized}\r\n`;
const updateHead = `PATCH ${alertA} HTTP/1.1\r\n${authorized}\r\nContent-Type: application/json\r\n`;

describe('what is sent', () => {
  const shared = shareOne(() => startAlertsService(serviceOptions({ seed })));
  test('may have headers of 16 KiB, and gets 431 above that', async () => {
    const service = await shared();
    const padded = (length: number) => `${head}Connection: close\r\nX: ${'x'.repeat(length)}\r\n\r\n`;
    expect(await answerTo(service.url, padded(15_000))).toMatch(/^HTTP\/1\.1 200 /);
    expect(brokenOf(await answerTo(service.url, padded(17_000)))).toBe('431 HeadersTooLarge');
    expect(await isAlive(service)).toBe(true);
  });

  test.each([
    ['without a body', head],
    ['that waits for 100', `${updateHead}Content-Length: ${turnOff.body.length}\r\nExpect: 100-continue\r\n`],
  ])('may have 100 headers, and gets 431 above that: a request %s', async (_, start) => {
    const service = await startService();
    const own = start.split('\r\n').length - 2;
    const withHeaders = (count: number) => {
      const others = Array.from({ length: count - own - 1 }, (_each, index) => `X-${index}: x\r\n`).join('');
      const body = start.startsWith('GET') ? '' : turnOff.body;
      return `${start.replace('Host: x\r\n', '')}${others}Host: x\r\nConnection: close\r\n\r\n${body}`;
    };
    expect(await answerTo(service.url, withHeaders(100))).toMatch(/^HTTP\/1\.1 (100|20[04]) /);
    expect(brokenOf(await answerTo(service.url, withHeaders(101)))).toBe('431 HeadersTooLarge');
    expect(await isAlive(service)).toBe(true);
  });

  test('may have a body of 16 KiB, and gets 413 above that', async () => {
    const service = await startService();
    const update = (length: number) => {
      const body = turnOff.body.padEnd(length, ' ');
      return `${updateHead}Connection: close\r\nContent-Length: ${length}\r\n\r\n${body}`;
    };
    expect(await answerTo(service.url, update(16_384))).toMatch(/^HTTP\/1\.1 204 /);
    const refused = await answerTo(service.url, update(16_385));
    expect(refused).toMatch(/^HTTP\/1\.1 413 [\s\S]*"BodyTooLarge"/);
  });

  test.each([
    ['TLS', Buffer.from('16030100a5010000a10303', 'hex')],
    ['two lengths of one body', `${updateHead}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    ['a length beside chunks', `${updateHead}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a chunk without a size', `${updateHead}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    ['a coding after chunked', `${updateHead}Transfer-Encoding: chunked, gzip\r\n\r\n`],
  ])('gets 400 when it is no HTTP, or its body has no length that can be relied on: %s', async (_, sent) => {
    const service = await shared();
    expect(brokenOf(await answerTo(service.url, sent))).toBe('400 MalformedRequest');
    expect(service.alerts.readAlert('subscriptions/one', 'A')).toMatchObject({ properties: { isActive: true } });
    expect(await isAlive(service)).toBe(true);
  });

  test('gets 501 with a transfer coding that the service does not know', async () => {
    const service = await shared();
    const sent = `${updateHead}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
    const answer = await answerTo(service.url, sent);
    expect(answer).toMatch(/^HTTP\/1\.1 501 [\s\S]*\r\nconnection: close\r\n[\s\S]*"UnknownTransferCoding"/);
    expect(service.alerts.readAlert('subscriptions/one', 'A')).toMatchObject({ properties: { isActive: true } });
  });

  test.each([
    ['no host', `GET ${listOne} HTTP/1.1\r\nAuthorization: Bearer ${staticToken}\r\n`, '400 "InvalidTarget"'],
    ['two tokens', `${head}Authorization: Bearer other\r\n`, '400 "MalformedRequest"'],
    ['two types', `${head}Content-Type: a/b\r\ncontent-type: a/b\r\n`, '400 "MalformedRequest"'],
    ['a host that is none', withHost('a b'), '400 "InvalidTarget"'],
    ['a user in the host', withHost('user@one.example'), '400 "InvalidTarget"'],
    ['an empty port', withHost('one.example:'), '200 '],
    ['an expectation that is not known', `${head}Expect: wonders\r\n`, '200 '],
  ])('with %s is answered with a body all the same', async (_, sent, expected) => {
    const answer = await answerTo((await shared()).url, `${sent}Connection: close\r\n\r\n`);
    const [, status = '', code = ''] = /^HTTP\/1\.1 (\d{3} )[^]*?(?:\{"error":\{"code":("\w+")|$)/.exec(answer) ?? [];
    expect(status + code).toBe(expected);
  });

  test('as CONNECT is closed without a response', async () => {
    const service = await shared();
    expect(await answerTo(service.url, 'CONNECT other:443 HTTP/1.1\r\nHost: other:443\r\n\r\n')).toBe('');
    expect(await isAlive(service)).toBe(true);
  });

  test('is not answered in place of the request before it', async () => {
    const service = await shared();
    const answer = await answerTo(service.url, `${head}\r\nnonsense\r\n\r\n`);
    expect(answer).not.toMatch(/^HTTP\/1\.1 400/);
    expect(await isAlive(service)).toBe(true);
  });
});

describe('a client that waits for 100 before it sends its body', () => {
  const waiting = (lines: string) => `PATCH ${alertA} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n${lines}\r\n\r\n`;
  const type = 'Content-Type: application/json';
  const bearer = `Authorization: Bearer ${staticToken}`;

  test.each([
    ['a wrong token', `${type}\r\nAuthorization: Bearer wrong\r\nContent-Length: 36`, '401', 'InvalidToken'],
    [
      'a coding that is not known',
      `${type}\r\n${bearer}\r\nTransfer-Encoding: gzip, chunked`,
      '501',
      'UnknownTransferCoding',
    ],
  ])('is refused instead with %s', async (_, lines, status, code) => {
    const answer = await answerTo((await startService()).url, waiting(lines));
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\nconnection: close\r\n[^]*"${code}"`, 'i'));
    expect(answer).not.toContain('100 Continue');
  });

  test('gets it when the headers are in order, and its update is made', async () => {
    const service = await startService();
    const socket = await open(service);
    socket.write(waiting(`${type}\r\n${bearer}\r\nConnection: close\r\nContent-Length: ${turnOff.body.length}`));
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(turnOff.body);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 204 /);
    expect(service.alerts.readAlert('subscriptions/one', 'A')).toMatchObject({ properties: { isActive: false } });
  });
});

describe('a client that is slow', () => {
  const limits = { headersTimeoutMs: 1000, requestTimeoutMs: 1000 };

  test('to send its headers gets 408, while others are served', async () => {
    const service = await startService({ limits });
    const socket = await open(service);
    socket.write(head);
    const answer = text(socket);
    expect(await isAlive(service)).toBe(true);
    expect(brokenOf(await answer)).toBe('408 RequestTimeout');
  });

  test('to send its body gets 408, changes nothing, and appears in the access log', async () => {
    const lines: object[] = [];
    const accessLog = { info: (fields: object) => void lines.push(fields), infoText: () => undefined };
    const service = await startService({ limits, accessLog });
    const answer = await answerTo(service.url, `${updateHead}Content-Length: 100\r\n\r\n${turnOff.body}`);
    expect(brokenOf(answer)).toBe('408 RequestTimeout');
    expect(await service.alerts.readAlert('subscriptions/one', 'A')).toMatchObject({ properties: { isActive: true } });
    expect(lines).toEqual([{ status: 408, code: 'RequestTimeout', requestID: expect.any(String) }]);
  });

  test('to send anything at all is closed without an answer', async () => {
    const service = await startService({ limits: { ...limits, idleTimeoutMs: 100 } });
    expect(await answerTo(service.url, '')).toBe('');
  });
});

test('requests of one caller above its rate get 429 with Retry-After, and others are not affected', async () => {
  const clock = new ManualClock();
  const clients = [{ id: 'other', secret: new SecretText('secret') }];
  const service = await startService({ requestsPerSecond: 1, clients, clock });
  const { url } = service;
  const basic = `Basic ${Buffer.from('other:secret').toString('base64')}`;
  const granted = await sendOverSocket(url, {
    method: 'POST',
    target: '/common/oauth2/token',
    headers: { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  });
  const { access_token: token } = JSON.parse(granted.text) as { access_token: string };
  const list = (authorization = `Bearer ${staticToken}`) =>
    sendOverSocket(url, { target: listOne, headers: { authorization } });
  const statuses: number[] = [];
  for (let sent = 0; sent < 10; sent++) statuses.push((await list()).status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await list()).toMatchObject({
    status: 429,
    headers: { 'retry-after': '1' },
    text: expect.stringContaining('"TooManyRequests"'),
  });
  expect((await list(`Bearer ${token}`)).status).toBe(200);
  expect((await list('Bearer wrong')).status).toBe(401);
  await clock.advance(1000);
  expect([(await list()).status, (await list()).status]).toEqual([200, 429]);
  await clock.advance(3_600_000);
  for (let sent = 0; sent < 10; sent++) await list();
  expect((await list()).status).toBe(429);
});
