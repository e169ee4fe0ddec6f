// The alerts service within the memory of its own deployment: clients that read nothing, requests that never end and a flood of sign-ins over
// TLS, then idle connections. Another client is served meanwhile.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect as connectPlain, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';

import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { sleep, systemClock } from '../../src/lib/clock.ts';
import { longestParameter } from '../../src/service/oauth/authorize/authorize-request.ts';
import { readDeployment } from '../support/rigs/deployment.ts';
import { createMemoryCgroup } from '../support/rigs/memory-cgroup.ts';
import { programFile } from '../support/rigs/program.ts';
import { apiVersion, listPath } from '../support/servers/alerts-service.ts';

const mebibyte = 1024 * 1024;
const endlessRequests = 900;
const idleConnections = 1100;
const floodConnections = 64;
const busyConnections = 300;
/** Clients without a token that read nothing. */
const unreadConnections = 1024;

const callers = Array.from({ length: 8 }, (_, index) => `caller-${index}`);
const other = 'other';
const secret = 'a-secret-of-this-test-that-is-long-enough';
const password = 'a-password-of-this-test';

/** A list of some KiB. */
const listOfSize = (size: number) => ({ value: [{ name: 'A', properties: { note: 'x'.repeat(size * 1024 - 1500) } }] });
const listSizes = [16, 64];
/** Their lists have 1, 16 and 64 KiB. */
const listed = ['small', ...listSizes.map((size) => `of-${size}`)];
const seed = {
  scopes: {
    small: { value: [{ name: 'A' }] },
    ...Object.fromEntries(listSizes.map((size) => [`of-${size}`, listOfSize(size)])),
  },
};
const pathOf = (scope: string) => `/${scope}${listPath}?${apiVersion}`;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rolealerts-bounds-'));
});
afterAll(() => rm(folder, { recursive: true }));

interface Service {
  readonly child: ChildProcess;
  readonly url: string;
  readonly metricsURL: string;
  readonly probesURL: string;
  readonly adminURL: string;
  readonly limitBytes: number;
  /** Times that the kernel ended the process because of the limit; 0 without a cgroup. */
  killed(): number;
  peakBytes(): Promise<number>;
}

async function start(...more: readonly string[]): Promise<Service> {
  const { nodeFlags, limitBytes } = await readDeployment();
  await writeFile(join(folder, 'seed.json'), JSON.stringify(seed));
  const secrets = [...callers, other].map((id) => `--client=${id}:${secret}`);
  const args = [
    ...nodeFlags,
    programFile,
    'serve',
    '--log-format=json',
    ...more,
    `--data=${join(folder, `state-${more.length}.db`)}`,
    `--seed=${join(folder, 'seed.json')}`,
    ...secrets,
    `--user=ada:${password}`,
    '--page-size=1000',
    '--rate-limit=0',
    '--trusted-proxies=127.0.0.1',
    '--metrics-bind-address=127.0.0.1:0',
    '--health-probe-bind-address=127.0.0.1:0',
    '--admin=127.0.0.1:0',
  ];
  const cgroup = createMemoryCgroup(limitBytes);
  const [command, wrapped] = cgroup?.wrap(process.execPath, args) ?? [process.execPath, args];
  const child = spawn(command, wrapped, { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(async () => {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGKILL');
    await ended;
    cgroup?.remove();
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (log.length < 10_000) log += text;
  });
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  const lines = log.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, string>]));
  const [metricsURL, probesURL] = ['metricsURL', 'probesURL'].map(
    (name) => lines.find((line) => line[name])?.[name] ?? '',
  ) as [string, string];
  const [url, adminURL] = ['alerts service started', 'admin port started'].map(
    (msg) => lines.find((line) => line['msg'] === msg)?.['url'] ?? '',
  ) as [string, string];
  if ([url, metricsURL, probesURL, adminURL].includes('')) throw new Error(log);
  return {
    child,
    url,
    metricsURL,
    probesURL,
    adminURL,
    limitBytes,
    killed: () => cgroup?.killed() ?? 0,
    async peakBytes() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      const resident = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
      console.log(
        `peak: resident ${mib(resident)}, with the buffers of the kernel ${cgroup ? mib(cgroup.peakBytes()) : 'not known: no cgroup can be made here'}`,
      );
      return cgroup?.peakBytes() ?? resident;
    },
  };
}

const mib = (bytes: number) => `${Math.round(bytes / mebibyte)} MiB`;

/** Each request on a connection of its own, which may take as long as the machine needs. */
async function send(url: string, path: string, options: Parameters<typeof request>[1] = {}) {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false, timeout: 0 } });
  try {
    const answer = await request(url + path, { ...options, dispatcher });
    return { status: answer.statusCode, text: await answer.body.text() };
  } finally {
    await dispatcher.destroy();
  }
}

async function tokenOf({ url }: Service, id: string): Promise<string> {
  const { text } = await send(url, '/common/oauth2/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`,
  });
  return (JSON.parse(text) as { access_token: string }).access_token;
}

/**
 * Lists the small scope twenty times; every list is served while `load` says so, at the latest at its tenth connection: at the limit of
 * connections one that has sent nothing yet may be cut. Prints how long they took, which depends on the machine.
 */
async function expectServed({ url }: Service, token: string, load: string): Promise<void> {
  const times: number[] = [];
  for (let index = 0; index < 20; index++) {
    const began = performance.now();
    const list = () => send(url, pathOf('small'), { headers: { authorization: `Bearer ${token}` } });
    const { status } = await withTries(10, list);
    times.push(performance.now() - began);
    if (status !== 200) throw new Error(`answered ${status} with ${load}`);
  }
  const median = times.toSorted((a, b) => a - b)[10] ?? 0;
  console.log(
    `another client with ${load}: median ${median.toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms`,
  );
}

/** The last failure is thrown. */
async function withTries<Value>(tries: number, attempt: () => Promise<Value>): Promise<Value> {
  for (let left = tries - 1; left > 0; left--) {
    try {
      return await attempt();
    } catch (error) {
      console.log(`a connection was cut: ${String(error)}`);
    }
  }
  return attempt();
}

const signIn =
  '/common/oauth2/authorize?response_type=token&client_id=rolealerts-cli&redirect_uri=http://127.0.0.1/callback';
/** As long as parameters and headers may be, of a character that a page would have to escape. */
const longParameters = Array.from({ length: 7 }, (_, index) => `&state${index || ''}=${"'".repeat(longestParameter)}`);
const longState = signIn + longParameters.join('');

interface Attacker {
  readonly port: number;
  readonly text: string;
  /** Sends its request every quarter of a second, instead of once. */
  readonly isRepeated: boolean;
  socket?: Socket;
}

/** Clients that read nothing, by what they ask for, on each port: half of them send one request. */
function unreadClients({ url, metricsURL, probesURL, adminURL }: Service, tokens: readonly string[]) {
  const attack = (count: number, base: string, requestOf: (index: number) => string) =>
    Array.from({ length: count }, (_, index): Attacker => {
      return { port: Number(new URL(base).port), text: requestOf(index), isRepeated: index % 2 === 1 };
    });
  const get = (target: string, headers = '') => `GET ${target} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
  const list = (index: number) => {
    const bearer = tokens[index % tokens.length];
    return get(pathOf(listed[index % listed.length] ?? ''), `Authorization: Bearer ${bearer}\r\n`);
  };
  return {
    'sign-in pages': [
      ...attack(unreadConnections, url, () => get(signIn)),
      ...attack(Math.ceil(unreadConnections / 5), url, list),
    ],
    'sign-in pages with a long state': attack(unreadConnections, url, () => get(longState)),
    'the description': attack(unreadConnections, url, () => get('/openapi.json')),
    metrics: attack(unreadConnections, metricsURL, () => get('/metrics')),
    probes: attack(unreadConnections, probesURL, () => get('/readyz')),
    'the admin port': attack(unreadConnections, adminURL, () => get('/faults')),
  };
}

/** Those that lose their connection open the next one. Ends when the returned function is called. */
function flood(attackers: readonly Attacker[]): () => void {
  const tick = () => {
    // More at once than the queue of the listener would lose some.
    let opens = 100;
    for (const attacker of attackers) {
      const { socket, port, text, isRepeated } = attacker;
      if (socket && !socket.destroyed) {
        if (isRepeated) socket.write(text);
      } else if (opens > 0) {
        opens -= 1;
        attacker.socket = openUnread(port, text);
      }
    }
  };
  const timer = setInterval(tick, 250);
  const stop = () => {
    clearInterval(timer);
    for (const { socket } of attackers) socket?.destroy();
  };
  onTestFinished(stop);
  return stop;
}

/** A connection of which one byte is read. */
function openUnread(port: number, text: string): Socket {
  const onread = { buffer: Buffer.alloc(1), callback: () => false };
  const socket = connectPlain({ port, host: '127.0.0.1', onread });
  socket.on('error', () => undefined).pause();
  socket.write(text);
  return socket;
}

/** A connection of which nothing is read after its handshake. */
async function connectTo(url: string): Promise<TLSSocket | undefined> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false });
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')]).catch(() => undefined);
  return socket.destroyed ? undefined : socket;
}

/** Some handshakes at a time. */
async function connectMany(url: string, count: number, then: (socket: TLSSocket, index: number) => void) {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const index = next++;
      const socket = await connectTo(url);
      if (socket) then(socket, index);
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
}

/** Posts the form with a wrong password, again and again, until it is stopped: each time from another address, so that none is closed. */
function floodSignIns(url: string) {
  const over = new AbortController();
  let [sent, answers] = [0, 0];
  const worker = async (name: string) => {
    const agent = new Agent({ connect: { rejectUnauthorized: false } });
    const body = new URLSearchParams({ username: name, password: 'wrong', decision: 'allow' });
    while (!over.signal.aborted) {
      const address = `2001:db8:${(sent += 1).toString(16)}::1`;
      const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': address };
      const options = { method: 'POST', headers, body: body.toString(), dispatcher: agent } as const;
      const answer = await request(url + signIn, options).catch(() => undefined);
      await answer?.body.dump().catch(() => undefined);
      answers += 1;
    }
    await agent.destroy();
  };
  const workers = Array.from({ length: floodConnections }, (_, index) => worker(`name-${index}`));
  return {
    answers: () => answers,
    async stop() {
      over.abort();
      await Promise.all(workers);
    },
  };
}

/** Of 16 KiB, in chunks of one byte, and without its end. */
const tinyChunks = `POST /common/oauth2/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\ny\r\n'.repeat(16_000)}`;
const headersWithout = (end: string) =>
  `POST /common/oauth2/token HTTP/1.1\r\nHost: x\r\n${end}${Array.from({ length: 90 }, (_, index) => `X-${index}: ${'x'.repeat(150)}\r\n`).join('')}`;
const endless = [
  tinyChunks,
  headersWithout(''),
  `${headersWithout('Content-Length: 16384\r\n')}\r\n${'y'.repeat(16_000)}`,
];

test('clients that read nothing cost less than the limit, with the buffers of the kernel, and another client is served', async () => {
  const service = await start();
  const tokens = await Promise.all(callers.map((id) => tokenOf(service, id)));
  const token = await tokenOf(service, other);
  await expectServed(service, token, 'no load');
  for (const [what, attackers] of Object.entries(unreadClients(service, tokens))) {
    const stop = flood(attackers);
    await sleep(systemClock, 6000);
    await expectServed(service, token, `clients that read nothing: ${what}`);
    await service.peakBytes();
    stop();
  }
  await expectUnharmed(service);
});

test('requests that never end and a flood of sign-ins over TLS end nothing, and another client is served', async () => {
  const service = await start('--tls-self-signed');
  const { url } = service;
  const token = await tokenOf(service, other);
  await connectMany(url, endlessRequests, (socket, index) => {
    socket.write(endless[index % endless.length] ?? '');
  });
  await expectServed(service, token, `${endlessRequests} requests that never end`);
  await service.peakBytes();

  const flood = floodSignIns(url);
  await expect.poll(flood.answers).toBeGreaterThan(100);
  await expectServed(service, token, 'a flood of sign-ins besides');
  await flood.stop();

  await expectUnharmed(service);
});

// Node parses what it has read, up to 64 KiB, to its end, whatever the listener does at the first requests.
test.each(['http', 'https'])('thousands of requests in one read of each %s connection end nothing', async (scheme) => {
  const service = await start(...(scheme === 'https' ? ['--tls-self-signed'] : []));
  const { url } = service;
  const token = await tokenOf(service, other);
  const sockets: Socket[] = [];
  if (scheme === 'https') await connectMany(url, busyConnections, (socket) => sockets.push(socket));
  else while (sockets.length < busyConnections) sockets.push(openUnread(Number(new URL(url).port), ''));
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\n\r\n'.repeat(3600));
  await expectServed(service, token, `${busyConnections} connections with thousands of requests each`);
  for (const socket of sockets) socket.destroy();
  await expectUnharmed(service);
});

test('idle connections lock no other client out', async () => {
  const service = await start();
  const token = await tokenOf(service, other);
  const port = Number(new URL(service.url).port);
  for (let opened = 0; opened < idleConnections; opened++) await openIdle(port);
  await expectServed(service, token, `${idleConnections} idle connections`);
  await expectUnharmed(service);
});

/** A connection that sent one request and then nothing. */
async function openIdle(port: number): Promise<void> {
  const socket = connectPlain(port, '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write('GET /none HTTP/1.1\r\nHost: x\r\n\r\n');
}

/** The service stayed within its limit, and stops when it is asked to. */
async function expectUnharmed(service: Service): Promise<void> {
  const { child, limitBytes } = service;
  expect(await service.peakBytes()).toBeLessThan(limitBytes);
  expect([child.exitCode, child.signalCode, service.killed()]).toEqual([null, null, 0]);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
}
