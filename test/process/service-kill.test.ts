// The service as a process on a data file: an acknowledged write survives SIGKILL in the middle of updates, several times over one data file,
// which only one process owns, and others back up.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Pool } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { runCommand } from '../../src/local/run-command.ts';
import { createAlertsService } from '../../src/service/create-service.ts';
import { activateAlert, activeAlerts, names, seed, untouched } from '../support/rigs/many-alerts.ts';
import { programFile } from '../support/rigs/program.ts';
import {
  apiVersion,
  listPath,
  jsonOf,
  sendOverSocket,
  serviceOptions,
  staticToken,
} from '../support/servers/alerts-service.ts';

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

/** Runs `rolealerts serve` with these words to its end. */
const serve = (...words: readonly string[]) =>
  runCommand(process.execPath, [programFile, 'serve', ...words], {
    environment: { PATH: process.env['PATH'] ?? '' },
    directory: folder,
    deadlineMs: 300_000,
  });

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

test('of 2,000 updates at the same time every acknowledged one is there after the service was killed, and a token is good', async () => {
  let url = await startChild();
  const form = { grant_type: 'client_credentials', client_id: 'operator', client_secret: 's3cret/with:odd +chars%' };
  const received = await sendOverSocket(url, {
    method: 'POST',
    target: '/common/oauth2/token',
    headers: { authorization: '', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
  const { access_token: token } = jsonOf(received) as { access_token: string };

  const acknowledged = new Set<string>();
  for (const killAfter of [1, 800]) {
    const waiting = names.filter((name) => !acknowledged.has(name));
    const now = await activateUntilKilled(url, waiting, killAfter);
    expect(now.length).toBeGreaterThanOrEqual(killAfter);
    expect(now.length).toBeLessThan(waiting.length);
    for (const name of now) acknowledged.add(name);
    url = await startChild();
    const active = await activeAlerts(url);
    expect([...acknowledged].filter((name) => !active.has(name))).toEqual([]);
    expect(untouched.filter((name) => active.has(name))).toEqual([]);
  }

  const target = `/s${listPath}?${apiVersion}`;
  expect((await sendOverSocket(url, { target, headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
});

test('a second process may not have the data file, but backs it up amid updates', async () => {
  const url = await startChild();
  const dataFile = join(folder, 'state.db');
  const second = await serve('--data', dataFile, '--static-token', staticToken);
  const sentence = `rolealerts: Cannot use the data file ${dataFile}: another process is using it.\n`;
  expect(second).toMatchObject({ exitCode: 64, stderr: expect.stringContaining(sentence) as string });

  const pool = new Pool(url, { connections: 1 });
  const [before = '', ...others] = names;
  expect(await activateAlert(pool, before)).toBe(204);
  const stopping = new AbortController();
  const update = async () => {
    for (let index = 0; !stopping.signal.aborted; index++) {
      expect(await activateAlert(pool, others[index % others.length] ?? '')).toBe(204);
    }
  };
  const updating = update();
  const copy = join(folder, 'copy.db');
  const backup = await serve('backup', copy, '--data', dataFile);
  stopping.abort();
  await updating;
  await pool.destroy();
  expect(backup).toMatchObject({ exitCode: 0, stderr: '' });
  const restored = await createAlertsService(serviceOptions({ dataFile: copy }));
  const alert = await restored.alerts.readAlert('s', before);
  expect(alert?.['properties']).toMatchObject({ isActive: true });
  await restored.close();
});
