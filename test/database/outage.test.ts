// PostgreSQL goes away while the service runs: every request gets a whole response, none is acknowledged that is not stored, and the
// service recovers by itself.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

import { afterEach, expect, test } from 'vitest';

import type { Logger } from '../../src/lib/log.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import { scannerWith } from '../../src/service/scanner/scanner.ts';
import { startAlertsService, type RunningAlertsService } from '../../src/service/server.ts';
import { noOwnersAllowed } from '../support/builders/assignments.ts';
import { clientsWith, operator, tokenTarget } from '../support/rigs/oauth-rig.ts';
import { until } from '../support/rigs/until.ts';
import { listOne, seed, turnOff } from '../support/servers/alerts-service-cases.ts';
import { errorOf, listOf, sendOverSocket, serviceOptions } from '../support/servers/alerts-service.ts';
import { atPort, newSchema, type PostgresAccess } from '../support/servers/postgres.ts';
import { startTcpProxy, type TcpProxy } from '../support/servers/tcp-proxy.ts';
import { describeWithPostgres } from '../support/servers/with-postgres.ts';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

function collecting(): { readonly log: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const line = (level: string) => (_: object, message: string) => void lines.push(`${level} ${message}`);
  return { lines, log: { ...silentLogger, info: line('info'), warn: line('warn'), error: line('error') } };
}

async function start(databaseURL: string, log: Logger = silentLogger): Promise<RunningAlertsService> {
  const service = await startAlertsService(
    serviceOptions({ seed, clients: clientsWith(), log, databaseURL: new SecretText(databaseURL) }),
  );
  stops.push(() => service.stop());
  return service;
}

/** A service whose connections to PostgreSQL the test can cut. */
async function startBehindProxy(postgres: PostgresAccess) {
  const proxy: TcpProxy = await startTcpProxy(() => ({ host: '127.0.0.1', port: postgres.port }));
  stops.push(() => proxy.stop());
  const { log, lines } = collecting();
  const service = await start(atPort(await newSchema(postgres), proxy.port), log);
  return { proxy, lines, service };
}

const databaseLines = (lines: readonly string[]) => lines.filter((line) => line.includes('database'));

describeWithPostgres('while PostgreSQL is away', (postgres) => {
  test('every request that needs it gets 503 with Retry-After, and the service is not available until it returns', async () => {
    const { proxy, lines, service } = await startBehindProxy(postgres);
    expect(service.isAvailable()).toBe(true);
    proxy.mode = 'reset';
    for (const sent of [{ target: listOne }, turnOff, { target: listOne }]) {
      const received = await sendOverSocket(service.url, sent);
      expect(errorOf(received)).toBe('503 DatabaseUnavailable');
      expect(received.headers['retry-after']).toBe('1');
    }
    expect(service.isAvailable()).toBe(false);
    proxy.mode = 'pass';
    await until(() => service.isAvailable(), 'the service found the database again');
    expect((await sendOverSocket(service.url, turnOff)).status).toBe(204);
    expect(listOf(await sendOverSocket(service.url, { target: listOne })).value[0]?.properties['isActive']).toBe(false);
    expect(databaseLines(lines)).toEqual([
      'error database not reachable: requests get 503 until it is',
      'info database reachable again',
    ]);
  });

  test('a service stops within seconds, also amid a scan', async () => {
    const proxy = await startTcpProxy(() => ({ host: '127.0.0.1', port: postgres.port }));
    stops.push(() => proxy.stop());
    const scanning = Promise.withResolvers<void>();
    const source = {
      async read() {
        proxy.mode = 'half-open';
        scanning.resolve();
        return [];
      },
    };
    const databaseURL = new SecretText(atPort(await newSchema(postgres), proxy.port));
    const scanner = scannerWith({ source, thresholds: noOwnersAllowed, intervalMs: 1000 });
    const service = await startAlertsService(serviceOptions({ seed, databaseURL, scanner }));
    stops.push(() => service.stop());
    await scanning.promise;
    const beganMs = performance.now();
    await service.stop();
    expect(performance.now() - beganMs).toBeLessThan(6000);
  });

  test('a token that this process has not seen is neither accepted nor refused', async () => {
    const { proxy, service } = await startBehindProxy(postgres);
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: operator.id,
      client_secret: operator.secret,
    }).toString();
    const headers = { authorization: '', 'content-type': 'application/x-www-form-urlencoded' };
    const sent = { method: 'POST', target: tokenTarget, headers, body };
    const answered = await sendOverSocket(service.url, sent);
    const [header = '', claims, signature] = (JSON.parse(answered.text) as { access_token: string }).access_token.split(
      '.',
    );
    const parts = JSON.parse(Buffer.from(header, 'base64url').toString()) as { readonly kid: string };
    const otherKey = { ...parts, kid: parts.kid.split('').reverse().join('') };
    const token = [Buffer.from(JSON.stringify(otherKey)).toString('base64url'), claims, signature].join('.');
    const withToken = { target: listOne, headers: { authorization: `Bearer ${token}` } };
    expect(errorOf(await sendOverSocket(service.url, withToken))).toBe('401 InvalidToken');
    proxy.mode = 'reset';
    expect(errorOf(await sendOverSocket(service.url, withToken))).toBe('503 DatabaseUnavailable');
  });
});

/** A proxy that cuts the connection when a statement of the client has `text`: before it arrives, or after the server's response to it. */
async function startCuttingProxy(port: number, text: string, when: 'before' | 'after'): Promise<TcpPort> {
  let isArmed = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port });
    let isCutting = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket)));
    }
    const cut = () => {
      isArmed = false;
      client.resetAndDestroy();
      upstream.destroy();
    };
    client.on('data', (chunk) => {
      isCutting = isArmed && (isCutting || chunk.includes(text));
      if (isCutting && when === 'before') cut();
      else upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (isCutting) cut();
      else client.write(chunk);
    });
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  stops.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, arm: () => (isArmed = true) };
}

interface TcpPort {
  readonly port: number;
  readonly arm: () => void;
}

describeWithPostgres('a connection that is lost in an update', (postgres) => {
  test.each([
    ['before the server receives it: the update is not acknowledged and has no effect', 'before', true],
    ['before its result arrives: the update is not acknowledged although it has taken effect', 'after', false],
  ] as const)('%s', async (_, when, isActive) => {
    const proxy = await startCuttingProxy(postgres.port, 'UPDATE alert', when);
    const service = await start(atPort(await newSchema(postgres), proxy.port));
    proxy.arm();
    expect(errorOf(await sendOverSocket(service.url, turnOff))).toBe('503 DatabaseUnavailable');
    await until(() => service.isAvailable(), 'the service found the database again');
    expect(listOf(await sendOverSocket(service.url, { target: listOne })).value[0]?.properties['isActive']).toBe(
      isActive,
    );
    expect((await sendOverSocket(service.url, turnOff)).status).toBe(204);
  });
});
