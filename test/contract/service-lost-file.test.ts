// A data file that is removed, renamed or replaced under a running service: no update is acknowledged that the next start would not find.
import { copyFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { createLogger } from '../../src/lib/log.ts';
import { listOne, seed, turnOff } from '../support/servers/alerts-service-cases.ts';
import { errorOf, startOverSocket, type ServiceUnderTest } from '../support/servers/alerts-service.ts';

let folder = '';
let dataFile = '';
let service: ServiceUnderTest | undefined;
let lines: string[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rolealerts-lost-'));
  dataFile = join(folder, 'state.db');
  lines = [];
});
afterEach(async () => {
  await service?.stop();
  await rm(folder, { recursive: true });
});

async function started(): Promise<ServiceUnderTest> {
  const log = createLogger({ level: 'info', format: 'json', sink: { write: (line) => void lines.push(line) } });
  service = await startOverSocket({ seed, dataFile, log });
  return service;
}

const turnOn = { ...turnOff, body: JSON.stringify({ properties: { isActive: true } }) };

test.each([
  ['removed', 'state.db', () => rm(dataFile)],
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
  const running = await started();
  expect((await running.send(turnOff)).status).toBe(204);
  await lose();
  expect(errorOf(await running.send(turnOn))).toBe('500 InternalError');
  expect(errorOf(await running.send(turnOff))).toBe('500 InternalError');
  expect((await running.send({ target: listOne })).status).toBe(200);
  const failures = lines.filter((line) => line.includes('request failed'));
  expect(failures.length).toBe(1);
  const what = `The file ${join(folder, name)} was removed, renamed or replaced while the service used it`;
  expect(failures[0]).toContain(`${what}: updates get lost. Restart the service.`);
});

test('a data file that was opened a second time acknowledges updates', async () => {
  await (await started()).stop();
  const again = await started();
  expect((await again.send(turnOff)).status).toBe(204);
});
