// The data file of a service that the disk, a person or another configuration has changed: no wrong list and no lost update, but an error
// that names what is wrong.
import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { createLogger } from '../../src/lib/log.ts';
import type { AlertsServiceOptions } from '../../src/service/service-options.ts';
import { newFolder } from '../support/rigs/new-folder.ts';
import { listOne, seed, turnOff } from '../support/servers/alerts-service-cases.ts';
import {
  apiVersion,
  errorOf,
  listPath,
  startOverSocket,
  type ServiceUnderTest,
} from '../support/servers/alerts-service.ts';

let folder = '';
let dataFile = '';
let service: ServiceUnderTest | undefined;
let lines: string[] = [];
beforeEach(async () => {
  folder = await newFolder();
  dataFile = join(folder, 'state.db');
  lines = [];
});
afterEach(async () => {
  await service?.stop();
});

async function started(options: Partial<AlertsServiceOptions> = {}): Promise<ServiceUnderTest> {
  const log = createLogger({ level: 'info', format: 'json', sink: { write: (line) => void lines.push(line) } });
  service = await startOverSocket({ dataFile, log, ...options });
  return service;
}

const failures = () => lines.filter((line) => line.includes('request failed'));

/** A service on a data file with the seed that `damage` has changed while no service ran. */
async function startDamaged(damage: () => Promise<void> | void): Promise<ServiceUnderTest> {
  await (await started({ seed })).stop();
  await damage();
  return started();
}

/** Replaces a text of the file by another one of the same length, everywhere. */
async function replaceBytes(from: string, to: string): Promise<void> {
  const bytes = await readFile(dataFile);
  for (let at = bytes.indexOf(from); at !== -1; at = bytes.indexOf(from, at)) bytes.write(to, at);
  await writeFile(dataFile, bytes);
}

function changeWithSqlite(sql: string): void {
  const database = new DatabaseSync(dataFile);
  database.exec(sql);
  database.close();
}

test.each([
  ['is not JSON any more', '"displayName":"Nested"', '"displayName":"Nest"d"'],
  ['is still JSON', '"displayName":"Nested"', '"displayName":"Nasty!"'],
])('a document that %s is an error that names its place, and other scopes are served', async (_, from, to) => {
  const running = await startDamaged(() => replaceBytes(from, to));
  const target = `/subscriptions/one/providers/Vendor.Compute/machines/m${listPath}?${apiVersion}`;
  const received = await running.send({ target });
  expect(errorOf(received)).toBe('500 StorageDamaged');
  expect(failures().length).toBe(1);
  const { error, err } = JSON.parse(failures()[0] ?? '') as { error: string; err: unknown };
  const place = 'in the alert nested of the scope subscriptions/one/providers/vendor.compute/machines/m';
  expect(error).toBe(`The data file ${dataFile} is damaged ${place}: its document is missing or has another checksum.`);
  expect(err).toBeUndefined();
  expect((await running.send({ target: listOne })).status).toBe(200);
});

test('a damaged scope that is listed again and again is logged once, and another damaged one for itself', async () => {
  const running = await startDamaged(() =>
    changeWithSqlite(
      "UPDATE document SET checksum = checksum + 1 WHERE members LIKE '%Nested%' OR members LIKE '%\"B\"%'",
    ),
  );
  const nested = `/subscriptions/one/providers/Vendor.Compute/machines/m${listPath}?${apiVersion}`;
  for (const target of [nested, nested, listOne, nested, listOne]) {
    expect(errorOf(await running.send({ target }))).toBe('500 StorageDamaged');
  }
  expect(failures().map((line) => /in the alert (\w+)/.exec(line)?.[1])).toEqual(['nested', 'b']);
});

const turnOn = { ...turnOff, body: JSON.stringify({ properties: { isActive: true } }) };

test.each([
  ['renamed', 'state.db', () => rename(dataFile, `${dataFile}.old`)],
  [
    'replaced',
    'state.db',
    async () => {
      await copyFile(dataFile, `${dataFile}.new`);
      await rename(`${dataFile}.new`, dataFile);
    },
  ],
  ['separated from its log', 'state.db-wal', () => rm(`${dataFile}-wal`)],
])('a data file that is %s acknowledges no further update, and the log says why once', async (_, name, lose) => {
  const running = await started({ seed });
  expect((await running.send(turnOff)).status).toBe(204);
  await lose();
  expect(errorOf(await running.send(turnOn))).toBe('500 InternalError');
  expect(errorOf(await running.send(turnOff))).toBe('500 InternalError');
  expect((await running.send({ target: listOne })).status).toBe(200);
  expect(failures().length).toBe(1);
  const what = `The file ${join(folder, name)} was removed, renamed or replaced while the service used it`;
  expect(failures()[0]).toContain(`${what}: updates get lost. Restart the service.`);
});

// A store belongs to the provider namespace of its alerts: another one would mix both in paths, ids and types.

/** Starts and stops a service on the data file. */
async function run(providerNamespace: string, withSeed?: object): Promise<void> {
  await (await started({ providerNamespace, ...(withSeed && { seed: withSeed }) })).stop();
}

test('another namespace over alerts is refused, with both names and the fix', async () => {
  await run('Contoso.Authorization', seed);
  const message =
    'The store has alerts of the provider namespace Contoso.Authorization, but --provider-namespace is Vendor.Authorization. ' +
    'Use --provider-namespace Contoso.Authorization, or another store.';
  await expect(run('Vendor.Authorization', seed)).rejects.toMatchObject({ code: 'usage', message });
  await run('Contoso.Authorization');
});

test('an empty store takes the namespace of each start', async () => {
  await run('Contoso.Authorization');
  await run('Vendor.Authorization', seed);
  await expect(run('Contoso.Authorization')).rejects.toThrow(
    /has alerts of the provider namespace Vendor\.Authorization/,
  );
});
