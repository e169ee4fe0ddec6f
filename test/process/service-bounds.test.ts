// The alerts service within the memory of its own deployment: clients that do not read, requests that never end and a flood of sign-ins over
// TLS, then idle connections. Another client is served meanwhile. The times are printed and decide nothing.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';

import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { createMemoryCgroup } from '../support/rigs/memory-cgroup.ts';
import { programFile } from '../support/rigs/program.ts';
import { apiVersion, listPath } from '../support/servers/alerts-service.ts';

const mebibyte = 1024 * 1024;
const unreadClients = 900;
const endlessRequests = 300;
const idleConnections = 1100;
const maxConnections = 1024;
const floodConnections = 64;

/** Responses that the flood may get while another client connects and lists: some for each of its connections. */
const floodShare = 16 * floodConnections;

/** Eight callers fill what all callers together may leave unread. */
const callers = Array.from({ length: 8 }, (_, index) => `caller-${index}`);
const other = 'other';
const secret = 'a-secret-of-this-test-that-is-long-enough';
const password = 'a-password-of-this-test';

/** A page of 4 MB, and a small one. */
const note = 'x'.repeat(100_000);
const largeAlerts = Array.from({ length: 40 }, (_, index) => ({ name: `A${index}`, properties: { note } }));
const seed = { scopes: { large: { value: largeAlerts }, small: { value: [{ name: 'A' }] } } };
const pathOf = (scope: string) => `/${scope}${listPath}?${apiVersion}`;

interface Deployed {
  readonly nodeFlags: readonly string[];
  readonly limitBytes: number;
}

/** Node's flags and the limit of memory. */
async function readDeployment(): Promise<Deployed> {
  const text = await readFile(new URL('../../deploy/alerts-service/deployment.yaml', import.meta.url), 'utf8');
  const [, command = ''] = /command: \[(.*)\]$/m.exec(text) ?? [];
  const nodeFlags = command.split(', ').filter((word) => word.startsWith('--'));
  const [, limit] = /memory: (\d+)Mi$/m.exec(text.split('limits:')[1] ?? '') ?? [];
  return { nodeFlags, limitBytes: Number(limit) * mebibyte };
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rolealerts-bounds-'));
});
afterAll(() => rm(folder, { recursive: true }));

interface Service {
  readonly child: ChildProcess;
  readonly url: string;
  readonly metricsURL: string;
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
  const [, metricsURL = ''] = /"metricsURL":"([^"]+)"/.exec(log) ?? [];
  const [, url = ''] = /"url":"([^"]+)"/.exec(log) ?? [];
  if (url === '' || metricsURL === '') throw new Error(log);
  return {
    child,
    url,
    metricsURL,
    limitBytes,
    killed: () => cgroup?.killed() ?? 0,
    async peakBytes() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      const resident = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
      console.log(`peak: resident ${mib(resident)}, cgroup ${cgroup ? mib(cgroup.peakBytes()) : 'none'}`);
      return resident;
    },
  };
}

const mib = (bytes: number) => `${Math.round(bytes / mebibyte)} MiB`;

async function metric({ metricsURL }: Service, name: string): Promise<number> {
  const text = await (await fetch(`${metricsURL}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}

/** Each request on a connection of its own. */
async function send(url: string, path: string, options: Parameters<typeof request>[1] = {}) {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
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
 * Lists the small scope twenty times; every list is served while `load` says so. Returns the most responses that the flood got during one
 * of them.
 */
async function expectServed(
  { url }: Service,
  token: string,
  load: string,
  flood: () => number = () => 0,
): Promise<number> {
  const times: number[] = [];
  let mostBetween = 0;
  for (let index = 0; index < 20; index++) {
    const [began, before] = [performance.now(), flood()];
    const { status } = await send(url, pathOf('small'), { headers: { authorization: `Bearer ${token}` } });
    times.push(performance.now() - began);
    mostBetween = Math.max(mostBetween, flood() - before);
    if (status !== 200) throw new Error(`answered ${status} with ${load}`);
  }
  const median = times.toSorted((a, b) => a - b)[10] ?? 0;
  const longest = Math.max(...times);
  console.log(`another client with ${load}: median ${median.toFixed(0)} ms, longest ${longest.toFixed(0)} ms`);
  return mostBetween;
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
    const body = new URLSearchParams({
      response_type: 'token',
      client_id: 'rolealerts-cli',
      redirect_uri: 'http://127.0.0.1/callback',
      username: name,
      password: 'wrong',
      decision: 'allow',
    });
    while (!over.signal.aborted) {
      const address = `2001:db8:${(sent += 1).toString(16)}::1`;
      const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': address };
      const options = { method: 'POST', headers, body: body.toString(), dispatcher: agent } as const;
      const answer = await request(`${url}/common/oauth2/authorize`, options).catch(() => undefined);
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

test('clients that do not read, requests that never end and a flood of sign-ins end nothing, and another client is served', async () => {
  const service = await start('--tls-self-signed');
  const { url } = service;
  const tokens = await Promise.all(callers.map((id) => tokenOf(service, id)));
  const token = await tokenOf(service, other);
  await expectServed(service, token, 'no load');

  await connectMany(url, unreadClients, (socket, index) => {
    const bearer = tokens[index % tokens.length];
    socket.write(`GET ${pathOf('large')} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bearer}\r\n\r\n`);
  });
  await expect.poll(() => metric(service, 'rolealerts_service_unread_bytes')).toBeGreaterThan(32 * mebibyte);
  expect(await metric(service, 'rolealerts_service_unread_bytes')).toBeLessThanOrEqual(64 * mebibyte);
  await expectServed(service, token, `${unreadClients} clients that do not read`);
  await service.peakBytes();

  await connectMany(url, endlessRequests, (socket, index) => {
    socket.write(endless[index % endless.length] ?? '');
  });
  await expectServed(service, token, `${endlessRequests} requests that never end besides`);
  expect(await metric(service, 'rolealerts_service_connections')).toBeLessThanOrEqual(maxConnections);
  await service.peakBytes();

  const flood = floodSignIns(url);
  await expect.poll(flood.answers).toBeGreaterThan(100);
  const between = await expectServed(service, token, 'a flood of sign-ins besides', flood.answers);
  console.log(`the flood got up to ${between} responses during one list`);
  expect(between).toBeLessThan(floodShare);
  await flood.stop();

  await expectUnharmed(service);
});

test('idle connections lock no other client out, and a metric shows them', async () => {
  const service = await start();
  const token = await tokenOf(service, other);
  const port = Number(new URL(service.url).port);
  const cut = () => metric(service, 'rolealerts_service_connections_cut_total{reason="idle"}');
  // Idle connections end by themselves, so a slow machine needs more of them.
  while (!((await cut()) > 0)) for (let opened = 0; opened < idleConnections; opened++) await openIdle(port);
  await expectServed(service, token, `${idleConnections} idle connections`);
  expect(await metric(service, 'rolealerts_service_connections')).toBeLessThanOrEqual(maxConnections);
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
