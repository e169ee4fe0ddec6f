// Clients that ask for large pages and do not read them: what is refused, what is not, and when it ends.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { sleep, systemClock } from '../../src/lib/clock.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import { silentObserver } from '../../src/service/observer.ts';
import { startAlertsService, type RunningAlertsService } from '../../src/service/server.ts';
import {
  apiVersion,
  listPath,
  sendOverSocket,
  serviceOptions,
  staticToken,
} from '../support/servers/alerts-service.ts';

/** A page of 8 MB, which no kernel takes at once. */
const largeAlerts = Array.from({ length: 8 }, (_, index) => ({
  name: `A${index}`,
  properties: { isActive: true, note: 'x'.repeat(1_000_000) },
}));
const mediumAlerts = [{ name: 'A', properties: { note: 'x'.repeat(100_000) } }];
const seed = {
  scopes: { medium: { value: mediumAlerts }, large: { value: largeAlerts }, small: { value: [{ name: 'A' }] } },
};
const targetOf = (scope: string) => `/${scope}${listPath}?${apiVersion}`;
const readTimeMs = 1000;
const sockets: Socket[] = [];
let unreadBytes = 0;
let service: RunningAlertsService;

const start = (timeMs: number) =>
  startAlertsService(
    serviceOptions({
      seed,
      limits: { unreadMiB: 26, callerUnreadMiB: 18, readTimeMs: timeMs },
      clients: [{ id: 'other', secret: new SecretText('secret') }],
      observer: { ...silentObserver, unreadBytes: (bytes) => (unreadBytes = bytes) },
      clock: systemClock,
    }),
  );

beforeEach(async () => {
  unreadBytes = 0;
  service = await start(readTimeMs);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service.stop();
});

/** Asks for a page; the socket is not read until the test does. */
async function ask(token = staticToken, requests = 1, scope = 'large'): Promise<Socket> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  socket.write(`GET ${targetOf(scope)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`.repeat(requests));
  return socket;
}

const unreadPages = () => Math.round(unreadBytes / 8_000_000);

async function list(scope: string, token = staticToken) {
  const headers = { authorization: `Bearer ${token}` };
  const {
    status,
    headers: received,
    text: body,
  } = await sendOverSocket(service.url, { target: targetOf(scope), headers });
  return { status, retryAfter: received['retry-after'], isBusy: body.includes('"ServerBusy"') };
}

async function tokenOfOther(): Promise<string> {
  const { text: body } = await sendOverSocket(service.url, {
    method: 'POST',
    target: '/common/oauth2/token',
    headers: { authorization: '', 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials&client_id=other&client_secret=secret',
  });
  return (JSON.parse(body) as { access_token: string }).access_token;
}

const served = { status: 200, retryAfter: undefined, isBusy: false };
const refused = { status: 503, retryAfter: '1', isBusy: true };

describe('responses that clients do not read', () => {
  test('are held up to the limit of their caller; then its large ones get 503, and small ones are served', async () => {
    await Promise.all([ask(), ask()]);
    await expect.poll(unreadPages).toBe(2);
    expect(await list('large')).toEqual(refused);
    expect(await list('small')).toEqual(served);
    expect(await list('large', await tokenOfOther())).toEqual(served);
  });

  test('of all callers are held up to the limit of all', async () => {
    const other = await tokenOfOther();
    await Promise.all([ask(), ask(), ask(other)]);
    await expect.poll(unreadPages).toBe(3);
    expect(await list('large', other)).toEqual(refused);
    expect(await list('small', other)).toEqual(served);
  });

  test('count until the next request of their connection, or its end', async () => {
    const [first, second] = await Promise.all([ask(), ask()]);
    await expect.poll(unreadPages).toBe(2);
    second.destroy();
    await expect.poll(unreadPages).toBe(1);
    expect(await list('large')).toEqual(served);
    let receivedBytes = 0;
    first.on('data', (chunk: Buffer) => (receivedBytes += chunk.length));
    await expect.poll(() => receivedBytes).toBeGreaterThan(8_000_000);
    first.write('GET /none HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => unreadBytes).toBe(0);
  });

  test('count as well while they wait behind another one on their connection', async () => {
    await ask(staticToken, 3);
    await expect.poll(unreadPages).toBe(2);
    expect(await list('large')).toEqual(refused);
  });

  test('that the kernel took a while ago make room for others of their caller, the oldest first', async () => {
    const askEach = async (count: number) => {
      const clients = await Promise.all(Array.from({ length: count }, () => ask(staticToken, 1, 'medium')));
      await Promise.all(clients.map((client) => once(client, 'readable')));
      return clients;
    };
    const [first] = await askEach(1);
    await askEach(180);
    await sleep(systemClock, readTimeMs);
    const last = (await askEach(19)).at(-1);
    expect(unreadBytes).toBeLessThanOrEqual(18 * 1024 * 1024);
    expect(unreadBytes).toBeGreaterThan(17 * 1024 * 1024);
    first?.resume();
    await expect.poll(() => first?.destroyed).toBe(true);
    let receivedBytes = 0;
    last?.on('data', (chunk: Buffer) => (receivedBytes += chunk.length));
    await expect.poll(() => receivedBytes).toBeGreaterThan(100_000);
  });

  test('that the kernel just took arrive whole; above the limit of their caller further ones get 503', async () => {
    await service.stop();
    // However slow this machine is, all of them are new.
    service = await start(3_600_000);
    const clients = await Promise.all(Array.from({ length: 250 }, () => ask(staticToken, 1, 'medium')));
    await Promise.all(clients.map((client) => once(client, 'readable')));
    const last = 'GET /none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const texts = await Promise.all(clients.map((client) => text(client.end(last))));
    const whole = texts.filter((each) => each.startsWith('HTTP/1.1 200') && each.length > 100_000);
    expect(whole.length).toBeGreaterThan(180);
    expect(texts.filter((each) => each.startsWith('HTTP/1.1 503'))).toHaveLength(250 - whole.length);
  });

  test('are held for 400 clients within the limits, and each of the others is answered', async () => {
    const clients = await Promise.all(Array.from({ length: 400 }, () => ask()));
    expect(await list('small')).toEqual(served);
    await expect.poll(unreadPages).toBe(2);
    const firstBytes = clients.map(async (socket) =>
      ((await once(socket, 'data')) as [Buffer])[0].toString().slice(9, 12),
    );
    const statuses = await Promise.all(firstBytes);
    expect(statuses.filter((status) => status === '503')).toHaveLength(398);
  });

  test('of a client that goes on reading arrive whole', async () => {
    const socket = await ask();
    await expect.poll(unreadPages).toBe(1);
    socket.write(`GET /none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect((await text(socket)).length).toBeGreaterThan(8_000_000);
  });
});
