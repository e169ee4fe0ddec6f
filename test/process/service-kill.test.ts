// An acknowledged write survives SIGKILL: the service is killed in the middle of updates, several times over one data file.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Agent, Pool, request } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { programFile } from '../support/rigs/program.ts';
import { activateAlert, activeAlerts, names, seed, untouched } from '../support/rigs/ten-thousand-alerts.ts';
import { apiVersion, listPath, jsonOf, sendOverSocket, staticToken } from '../support/servers/alerts-service.ts';

const program = fileURLToPath(new URL('../support/servers/alerts-service-process.ts', import.meta.url));

let folder = '';
let child: ChildProcess | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rolealerts-kill-'));
  await writeFile(join(folder, 'seed.json'), JSON.stringify(seed));
});
afterEach(async () => {
  if (child) await killChild(child);
  await rm(folder, { recursive: true });
});

/** Starts the service on the data file; its URL. */
async function startChild(): Promise<string> {
  const started = spawn(process.execPath, [program, join(folder, 'state.db'), join(folder, 'seed.json')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child = started;
  const [line] = (await once(started.stdout, 'data')) as [Buffer];
  return line.toString().trim();
}

async function killChild(running: ChildProcess): Promise<void> {
  if (running.exitCode !== null || running.signalCode !== null) return;
  running.kill('SIGKILL');
  await once(running, 'exit');
}

const connections = 64;

/** Activates all of `waiting` at the same time, and kills the service after some; those that were acknowledged. */
async function activateUntilKilled(
  url: string,
  waiting: readonly string[],
  killAfter: number,
): Promise<readonly string[]> {
  const acknowledged: string[] = [];
  const running = child!;
  const pool = new Pool(url, { connections });
  const activate = async (name: string) => {
    const statusCode = await activateAlert(pool, name);
    if (statusCode !== 204) throw new Error(`answered ${statusCode}`);
    acknowledged.push(name);
    if (acknowledged.length === killAfter) running.kill('SIGKILL');
  };
  await Promise.allSettled(waiting.map(activate));
  await killChild(running);
  await pool.destroy();
  return acknowledged;
}

test('of 10,000 updates at the same time every acknowledged one is there after the service was killed', async () => {
  const acknowledged = new Set<string>();
  for (const killAfter of [1, 1500, 4000]) {
    const waiting = names.filter((name) => !acknowledged.has(name));
    const now = await activateUntilKilled(await startChild(), waiting, killAfter);
    expect(now.length).toBeGreaterThanOrEqual(killAfter);
    expect(now.length).toBeLessThan(waiting.length);
    for (const name of now) acknowledged.add(name);
    const active = await activeAlerts(await startChild());
    expect([...acknowledged].filter((name) => !active.has(name))).toEqual([]);
    expect(untouched.filter((name) => active.has(name))).toEqual([]);
    await killChild(child!);
  }
});

test('a token that was given out before the kill is good after it', async () => {
  const url = await startChild();
  const form = { grant_type: 'client_credentials', client_id: 'operator', client_secret: 's3cret/with:odd +chars%' };
  const received = await sendOverSocket(url, {
    method: 'POST',
    target: '/common/oauth2/token',
    headers: { authorization: '', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
  const { access_token: token } = jsonOf(received) as { access_token: string };
  await killChild(child!);
  const target = `/s${listPath}?${apiVersion}`;
  const after = await sendOverSocket(await startChild(), { target, headers: { authorization: `Bearer ${token}` } });
  expect(after.status).toBe(200);
});

test('a reader that goes away after the first line ends nothing', async () => {
  const args = ['serve', '--static-token', staticToken, '--seed', join(folder, 'seed.json'), '--tls-self-signed'];
  const running = spawn(process.execPath, [programFile, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  child = running;
  const [line] = (await once(running.stdout, 'data')) as [Buffer];
  running.stdout.destroy();
  running.stderr.destroy();
  const url = /^https:\S+/.exec(line.toString())?.[0] ?? '';
  const agent = new Agent({ connect: { rejectUnauthorized: false } });
  for (let requests = 0; requests < 3; requests++) {
    const headers = { authorization: `Bearer ${staticToken}` };
    const answer = await request(`${url}/s${listPath}?${apiVersion}`, { dispatcher: agent, headers });
    await answer.body.dump();
    expect(answer.statusCode).toBe(200);
  }
  expect(running.exitCode).toBeNull();
  await agent.destroy();
});

test('the service ends by itself when its owner is gone', async () => {
  await startChild();
  const running = child!;
  const ended = once(running, 'exit');
  running.stdin?.end();
  expect(await ended).toEqual([0, null]);
});
