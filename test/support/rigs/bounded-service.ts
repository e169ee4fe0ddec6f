// The alerts service within the memory of its own deployment, under load, while another client is served.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Agent, request } from 'undici';
import { expect, onTestFinished } from 'vitest';

import { longestParameter } from '../../../src/service/oauth/authorize/authorize-request.ts';
import { apiVersion, listPath } from '../servers/alerts-service.ts';
import { readDeployment } from './deployment.ts';
import { createMemoryCgroup } from './memory-cgroup.ts';
import { programFile } from './program.ts';

const mebibyte = 1024 * 1024;

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

export interface BoundedService {
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

export async function startBounded(...more: readonly string[]): Promise<BoundedService> {
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-bounds-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { nodeFlags, limitBytes } = await readDeployment();
  await writeFile(join(folder, 'seed.json'), JSON.stringify(seed));
  const secrets = [...callers, other].map((id) => `--client=${id}:${secret}`);
  const args = [
    ...nodeFlags,
    programFile,
    'serve',
    '--log-format=json',
    ...more,
    `--data=${join(folder, 'state.db')}`,
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

export async function tokenOf({ url }: BoundedService, id = other): Promise<string> {
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
export async function expectServed({ url }: BoundedService, token: string, load: string): Promise<void> {
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

export const signIn =
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

/** Clients that read nothing, `count` by what they ask for, on each port: half of them send one request. */
export async function unreadClients(service: BoundedService, count: number) {
  const { url, metricsURL, probesURL, adminURL } = service;
  const tokens = await Promise.all(callers.map((id) => tokenOf(service, id)));
  const attack = (some: number, base: string, requestOf: (index: number) => string) =>
    Array.from({ length: some }, (_, index): Attacker => {
      return { port: Number(new URL(base).port), text: requestOf(index), isRepeated: index % 2 === 1 };
    });
  const get = (target: string, headers = '') => `GET ${target} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
  const list = (index: number) => {
    const bearer = tokens[index % tokens.length];
    return get(pathOf(listed[index % listed.length] ?? ''), `Authorization: Bearer ${bearer}\r\n`);
  };
  return [
    ...attack(count, url, () => get(signIn)),
    ...attack(Math.ceil(count / 5), url, list),
    ...attack(count, url, () => get(longState)),
    ...attack(count, url, () => get('/openapi.json')),
    ...attack(count, metricsURL, () => get('/metrics')),
    ...attack(count, probesURL, () => get('/readyz')),
    ...attack(count, adminURL, () => get('/faults')),
  ];
}

/** Those that lose their connection open the next one. Ends when the returned function is called. */
export function flood(attackers: readonly Attacker[]): () => void {
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
export function openUnread(port: number, text: string): Socket {
  const onread = { buffer: Buffer.alloc(1), callback: () => false };
  const socket = connect({ port, host: '127.0.0.1', onread });
  socket.on('error', () => undefined).pause();
  socket.write(text);
  return socket;
}

/** The service stayed within its limit, and stops when it is asked to. */
export async function expectUnharmed(service: BoundedService): Promise<void> {
  const { child, limitBytes } = service;
  expect(await service.peakBytes()).toBeLessThan(limitBytes);
  expect([child.exitCode, child.signalCode, service.killed()]).toEqual([null, null, 0]);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
}
