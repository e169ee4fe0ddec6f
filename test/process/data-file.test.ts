// One data file and several processes: one owns it, also after a kill, and others back it up while updates arrive.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { runCommand } from '../../src/local/run-command.ts';
import { createAlertsService } from '../../src/service/create-service.ts';
import { programFile } from '../support/rigs/program.ts';
import { seed, turnOff } from '../support/servers/alerts-service-cases.ts';
import { sendOverSocket, serviceOptions, staticToken } from '../support/servers/alerts-service.ts';

const service = fileURLToPath(new URL('../support/servers/alerts-service-process.ts', import.meta.url));

let folder = '';
let dataFile = '';
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rolealerts-owner-'));
  dataFile = join(folder, 'state.db');
  await writeFile(join(folder, 'seed.json'), JSON.stringify(seed));
});
afterEach(async () => {
  await Promise.all(children.splice(0).map(kill));
  await rm(folder, { recursive: true });
});

/** A service of its own process on the data file: its URL, when it listens. */
async function start(): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [service, dataFile, join(folder, 'seed.json')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, url: line.toString().trim() };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Runs `rolealerts serve` with these words to its end. */
const serve = (...words: readonly string[]) =>
  runCommand(process.execPath, [programFile, 'serve', ...words], {
    environment: { PATH: process.env['PATH'] ?? '' },
    directory: folder,
    deadlineMs: 300_000,
  });

test('a second process is refused while the first runs, and owns the file once that is killed', async () => {
  const first = await start();
  const second = await serve('--data', dataFile, '--static-token', staticToken);
  const sentence = `rolealerts: Cannot use the data file ${dataFile}: another process is using it.\n`;
  expect(second).toMatchObject({ exitCode: 64, stderr: expect.stringContaining(sentence) as string });
  expect((await sendOverSocket(first.url, turnOff)).status).toBe(204);
  await kill(first.child);
  expect((await sendOverSocket((await start()).url, turnOff)).status).toBe(204);
});

test('a backup by another process amid updates is good, and has what was acknowledged before it', async () => {
  const { url } = await start();
  expect((await sendOverSocket(url, turnOff)).status).toBe(204);
  const stopping = new AbortController();
  const target = turnOff.target.replace('/A?', '/C?');
  const update = async () => {
    for (let isActive = false; !stopping.signal.aborted; isActive = !isActive) {
      const body = JSON.stringify({ properties: { isActive } });
      expect((await sendOverSocket(url, { ...turnOff, target, body })).status).toBe(204);
    }
  };
  const updating = update();
  const copy = join(folder, 'copy.db');
  const backup = await serve('backup', copy, '--data', dataFile);
  stopping.abort();
  await updating;
  expect(backup).toMatchObject({ exitCode: 0, stderr: '' });
  const restored = await createAlertsService(serviceOptions({ dataFile: copy }));
  const alert = await restored.alerts.readAlert('subscriptions/one', 'A');
  expect(alert?.['properties']).toMatchObject({ isActive: false });
  await restored.close();
});
