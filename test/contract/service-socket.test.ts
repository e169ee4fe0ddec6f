// Behaviour that only a socket shows: bodies that do not end, too many requests at once, stopping, and the access log.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { describe, expect, onTestFinished, test } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import { startHttpServer } from '../../src/lib/http-server.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import { createHttpAdapter } from '../../src/service/http/adapter.ts';
import { emptyResponse, type ServiceRequest } from '../../src/service/http/message.ts';
import { scannerWith } from '../../src/service/scanner/scanner.ts';
import { noOwnersAllowed } from '../support/builders/assignments.ts';
import { keepAccessLog, keepLog } from '../support/rigs/kept-log.ts';
import { newFolder } from '../support/rigs/new-folder.ts';
import { alertA, listOne, turnOff, startService } from '../support/servers/alerts-service-cases.ts';
import { sendOverSocket, staticToken } from '../support/servers/alerts-service.ts';

/** A connection on which the head of an update was sent, but not its body. */
async function beginUpdate(url: string, length: number): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  const head = ['PATCH', alertA, 'HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer'].join(
    ' ',
  );
  socket.write(`${head} ${staticToken}\r\nContent-Length: ${length}\r\n\r\n`);
  return socket;
}

describe('a request over a socket', () => {
  test('whose body is far too large is refused without being read to its end', async () => {
    const service = await startService();
    const socket = await beginUpdate(service.url, 1_000_000_000);
    socket.write(Buffer.alloc(20_000, 32));
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(answer).toMatch(/\{"error":\{"code":"BodyTooLarge",/);
  });
});

test('an answer that cannot be written ends its connection and nothing else', async () => {
  const { lines, log } = keepLog('info');
  const broken = { response: emptyResponse(204, { location: 'https://a.example/\n' }), route: 'authorize' } as const;
  const whole = { response: emptyResponse(204), route: 'unknown', principal: 'none' } as const;
  const answer = ({ target }: ServiceRequest) => {
    if (target === '/later') return Promise.resolve({ ...broken, principal: 'none' } as const);
    return target === '/now' ? ({ ...broken, principal: 'none' } as const) : whole;
  };
  const adapter = createHttpAdapter({ answer, scheme: 'http', clock: systemClock, log, accessLog: undefined });
  const server = await startHttpServer({ host: '127.0.0.1', port: 0 }, adapter);
  onTestFinished(() => server.stop());
  for (const target of ['/now', '/later']) {
    await expect(sendOverSocket(server.url, { target })).rejects.toThrow('other side closed');
  }
  expect((await sendOverSocket(server.url, { target: '/' })).status).toBe(204);
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(Array(2).fill('response not written'));
});

describe('stopping', () => {
  test('does not wait for a scan whose source never responds', async () => {
    const source = { read: () => new Promise<never>(() => undefined) };
    const service = await startService({
      scanner: scannerWith({ source, thresholds: noOwnersAllowed, intervalMs: 1000 }),
    });
    const beganMs = performance.now();
    await service.stop();
    expect(performance.now() - beganMs).toBeLessThan(3000);
  });

  test('is not needed after a start that failed: the data file is free again', async () => {
    const folder = await newFolder();
    const dataFile = join(folder, 'state.db');
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    await expect(startService({ dataFile, listen: { host: '127.0.0.1', port } })).rejects.toMatchObject({
      code: 'local',
    });
    await (await startService({ dataFile })).stop();
  });
});

describe('a seed', () => {
  test('is loaded into an empty store only, and is checked in any case', async () => {
    const folder = await newFolder();
    const dataFile = join(folder, 'state.db');
    const first = await startService({ dataFile });
    await sendOverSocket(first.url, turnOff);
    await first.stop();
    const second = await startService({ dataFile });
    expect(await second.alerts.readAlert('subscriptions/one', 'A')).toMatchObject({ properties: { isActive: false } });
    await second.stop();
    await expect(startService({ dataFile, seed: { scopes: [] } })).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('the access log', () => {
  test('has one line a request, with names and classes only', async () => {
    const { lines, accessLog } = keepAccessLog();
    const service = await startService({
      accessLog,
      clients: [{ id: 'canary-client', secret: new SecretText('canary-secret') }],
    });
    await sendOverSocket(service.url, { target: `${listOne}&access_token=canary-query` });
    await sendOverSocket(service.url, turnOff);
    await sendOverSocket(service.url, { target: listOne, headers: { authorization: 'Bearer canary-token' } });
    await sendOverSocket(service.url, { target: '/canary-path' });
    await sendOverSocket(service.url, {
      method: 'POST',
      target: '/common/oauth2/token',
      headers: { authorization: '', 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials&client_id=canary-client&client_secret=canary-wrong',
    });
    const facts = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(facts).toMatchObject([
      { msg: 'request answered', method: 'GET', route: 'list-alerts', status: 200, principal: 'static-token' },
      {
        method: 'PATCH',
        route: 'update-alert',
        status: 204,
        principal: 'static-token',
        durationMs: expect.any(Number),
      },
      { route: 'list-alerts', status: 401, principal: 'none', code: 'InvalidToken' },
      { method: 'GET', route: 'unknown', status: 404, code: 'RouteNotFound' },
      { method: 'POST', route: 'token', status: 401, code: 'invalid_client' },
    ]);
    expect(lines.join('')).not.toMatch(/canary|subscriptions|static-token-of-the-tests/);
  });
});
