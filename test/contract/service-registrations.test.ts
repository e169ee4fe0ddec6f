// The file of registrations while the service runs: a change takes effect without a restart, and an invalid file changes nothing.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { createLogger } from '../../src/lib/log.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';
import { newFolder } from '../support/rigs/new-folder.ts';
import { askToken, operator, tokenOf } from '../support/rigs/oauth-rig.ts';
import { until } from '../support/rigs/until.ts';
import { listOne, seed } from '../support/servers/alerts-service-cases.ts';
import { startOverSocket, type ServiceUnderTest } from '../support/servers/alerts-service.ts';

let folder = '';
let clock: ManualClock;
/** Number of timers of a service at rest. */
let timers = 0;
let service: ServiceUnderTest | undefined;
const lines: string[] = [];
beforeEach(async () => {
  folder = await newFolder();
  clock = new ManualClock();
  lines.length = 0;
});
afterEach(async () => {
  await service?.stop();
  service = undefined;
});

const file = () => join(folder, 'registrations.yaml');
const logged = () => lines.map((line) => JSON.parse(line) as { msg: string; error?: string });
const messages = () => logged().map(({ msg }) => msg);
const countOf = (message: string) => messages().filter((msg) => msg === message).length;
const unusable = 'registrations not usable, keeping the previous ones';

async function start(content: string, clients = [{ id: 'flagged', secret: new SecretText('s') }]) {
  await writeFile(file(), content);
  const log = createLogger({ level: 'info', format: 'json', sink: { write: (line) => void lines.push(line) } });
  service = await startOverSocket({ seed, clients, registrationsFile: file(), clock, log });
  timers = clock.pendingTimers;
  return service;
}

/** Replaces the file and checks it once, which logs `message`. */
async function replace(content: string, message: string): Promise<void> {
  const before = countOf(message);
  await writeFile(file(), content);
  await check();
  expect(countOf(message)).toBe(before + 1);
}

/** Passes the time until the next check, and until a change has settled. */
async function check(): Promise<void> {
  await passUntilRest(30_000);
  await passUntilRest(5000);
}

/** A check that has ended, or waits for a change to settle, has set a timer. */
async function passUntilRest(ms: number): Promise<void> {
  await clock.advance(ms);
  await until(() => clock.pendingTimers === timers, 'the check rests');
}

const yaml = (...clients: readonly string[]) => `clients: [${clients.join(', ')}]\n`;
const one = `{id: ${operator.id}, secret: ${operator.secret}}`;
const two = '{id: second, secret: s2}';
const listWith = async (from: ServiceUnderTest, token: string) =>
  (await from.send({ target: listOne, headers: { authorization: `Bearer ${token}` } })).status;

test('a client that is added gets tokens, and the tokens of one that is removed end at once', async () => {
  const running = await start(yaml(one));
  const token = await tokenOf(running, operator);
  expect(await listWith(running, token)).toBe(200);
  await replace(yaml(two), 'registrations reread');
  expect(await listWith(running, token)).toBe(401);
  const received = await askToken(running, {
    grant_type: 'client_credentials',
    client_id: 'second',
    client_secret: 's2',
  });
  expect(received.status).toBe(200);
  expect(await tokenOf(running, { id: 'flagged', secret: 's' })).toEqual(expect.any(String));
});

test('a file that becomes invalid is logged once, and the previous registrations stay in force', async () => {
  const running = await start(yaml(one));
  const token = await tokenOf(running, operator);
  await replace('clients: {', unusable);
  await replace(yaml('{id: flagged, secret: canary}'), unusable);
  expect(logged().at(-1)?.error).toBe('The client flagged is registered twice.');
  await replace(yaml(one, '{id: x}'), unusable);
  expect(await listWith(running, token)).toBe(200);
  const before = lines.length;
  await replace(yaml(one, two), 'registrations reread');
  expect(messages().slice(before)).not.toContain(unusable);
  await replace(yaml(one, '{id: x}'), unusable);
  const count = countOf(unusable);
  for (let checks = 0; checks < 3; checks++) await check();
  expect(countOf(unusable)).toBe(count);
  expect(lines.join()).not.toContain('canary');
});

test('a file that a secret is read from is followed too', async () => {
  await writeFile(join(folder, 'secret'), 'before\n');
  const running = await start(yaml('{id: filed, secretFile: secret}'));
  const ask = async (client_secret: string) =>
    (await askToken(running, { grant_type: 'client_credentials', client_id: 'filed', client_secret })).status;
  expect(await ask('before')).toBe(200);
  await writeFile(join(folder, 'secret'), 'after\n');
  await replace(yaml('{id: filed, secretFile: secret}'), 'registrations reread');
  expect([await ask('before'), await ask('after')]).toEqual([401, 200]);
});
