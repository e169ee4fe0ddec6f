// Several processes behind one address, with their state in PostgreSQL: a process is killed, and then the server, amid updates.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { Pool } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { messageOf } from '../../src/lib/errors.ts';
import { activateAlert, activeAlerts, names, seed, untouched } from '../support/rigs/many-alerts.ts';
import { until } from '../support/rigs/until.ts';
import { apiVersion, listPath, sendOverSocket } from '../support/servers/alerts-service.ts';
import { newSchema, startPostgres, type TestPostgres } from '../support/servers/postgres.ts';
import { startRoundRobin, type RoundRobin } from '../support/servers/round-robin.ts';

const program = fileURLToPath(new URL('../support/servers/alerts-service-process.ts', import.meta.url));

let postgres: TestPostgres | undefined;
let whyNot = '';
beforeAll(async () => {
  postgres = await startPostgres().catch((error: unknown) => {
    if (process.env['CI'] === 'true') throw error;
    whyNot = messageOf(error);
    return undefined;
  });
});
afterAll(async () => {
  await postgres?.stop();
});

let folder = '';
let running: ChildProcess[] = [];
let address: RoundRobin | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rolealerts-processes-'));
  await writeFile(join(folder, 'seed.json'), JSON.stringify(seed));
});
afterEach(async () => {
  await address?.stop();
  for (const child of running.splice(0)) await kill(child);
  await rm(folder, { recursive: true });
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** The first line of the process; rejects when it ends before. */
async function urlOf(child: ChildProcess): Promise<string> {
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the process ended with ${code}`)));
  const [line] = await Promise.race([once(child.stdout ?? child, 'data'), ended]);
  return String(line).trim();
}

/** Starts the processes at the same time; one address for all of them. */
async function startBehindOneAddress(count: number, databaseURL: string): Promise<RoundRobin> {
  const args = [program, databaseURL, join(folder, 'seed.json')];
  running = Array.from({ length: count }, () => spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] }));
  address = await startRoundRobin(await Promise.all(running.map(urlOf)));
  return address;
}

/** What to do after a number of acknowledged updates, each once. */
type Events = Readonly<Record<number, () => Promise<void>>>;

/** Activates all alerts, and sends each update again until it is acknowledged. `refused` counts the responses that were no 204. */
async function activateAll(url: string, events: Events): Promise<{ refused: number }> {
  const connections = 64;
  const pool = new Pool(url, { connections });
  const result = { refused: 0 };
  const happening: Promise<void>[] = [];
  let acknowledged = 0;
  const isAcknowledged = async (name: string) => {
    const statusCode = await activateAlert(pool, name);
    expect([204, 503]).toContain(statusCode);
    return statusCode === 204;
  };
  const activate = async (name: string) => {
    while (!(await isAcknowledged(name).catch(() => false))) {
      result.refused += 1;
      await delay(20);
    }
    acknowledged += 1;
    const event = events[acknowledged];
    if (event) happening.push(event());
  };
  const waiting = [...names];
  const work = async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) await activate(name);
  };
  await Promise.all(Array.from({ length: connections }, work));
  await Promise.all(happening);
  await pool.destroy();
  return result;
}

test('of 2,000 updates every acknowledged one is there after a process was killed, and PostgreSQL crashed and stopped', async (context) => {
  if (!postgres) return context.skip(whyNot);
  const server = postgres;
  const { url, connections } = await startBehindOneAddress(3, await newSchema(server));
  const { refused } = await activateAll(url, {
    400: async () => kill(running[0] as ChildProcess),
    800: async () => {
      await server.kill();
      await server.restart();
    },
    1400: async () => {
      await server.shutDown();
      await server.restart();
    },
  });
  expect(refused).toBeGreaterThan(0);
  expect(connections.every((count) => count > 0)).toBe(true);
  await until(
    async () => (await sendOverSocket(url, { target: `/s${listPath}?${apiVersion}` })).status === 200,
    'a process responds',
  );
  const active = await activeAlerts(url);
  expect(names.filter((name) => !active.has(name))).toEqual([]);
  expect(untouched.filter((name) => active.has(name))).toEqual([]);
});
