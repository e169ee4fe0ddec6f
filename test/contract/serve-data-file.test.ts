// `rolealerts serve backup` and `rolealerts serve check` beside a service that runs.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import type { Host } from '../../src/cli/host.ts';
import { runProgram } from '../../src/cli/program.ts';
import { listOne, seed, turnOff } from '../support/servers/alerts-service-cases.ts';
import { startOverSocket, type ServiceUnderTest } from '../support/servers/alerts-service.ts';

let folder = '';
let dataFile = '';
let copy = '';
let service: ServiceUnderTest | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rolealerts-serve-'));
  [dataFile, copy] = [join(folder, 'state.db'), join(folder, 'copy.db')];
});
afterEach(async () => {
  await service?.stop();
  await rm(folder, { recursive: true });
});

/** Runs `rolealerts serve` with these words: its exit code, and what it prints. */
async function serve(...words: readonly string[]) {
  const printed = { out: '', err: '' };
  const outputOf = (name: 'out' | 'err') => ({
    write: (text: string) => void (printed[name] += text),
    isTerminal: false,
    canRedraw: false,
    columns: 80,
    rows: 24,
  });
  const host: Partial<Host> = { env: {}, out: outputOf('out'), err: outputOf('err') };
  const exitCode = await runProgram(['serve', ...words], host as Host);
  return { exitCode, ...printed };
}

test('a backup of a running service has the updates before it, and a service runs on it', async () => {
  service = await startOverSocket({ seed, dataFile });
  await service.send(turnOff);
  const counts = /^good: tables of version \d+, scopes: 4, alerts: 7\n$/;
  const backup = await serve('backup', copy, '--data', dataFile);
  expect(backup).toEqual({ exitCode: 0, out: expect.stringMatching(counts) as string, err: '' });
  expect(await serve('check', dataFile)).toEqual(backup);
  const { text } = await service.send({ target: listOne });
  await service.stop();
  service = await startOverSocket({ dataFile: copy });
  expect((await service.send({ target: listOne })).text).toBe(text);
  expect(text).toContain('"isActive":false');
});

test('a backup replaces no file, and names what it lacks', async () => {
  service = await startOverSocket({ seed, dataFile });
  await writeFile(copy, '');
  const exists = await serve('backup', copy, '--data', dataFile);
  expect(exists).toEqual({ exitCode: 64, out: '', err: `rolealerts: The file ${copy} exists: name a new one.\n` });
  const lacking = await serve('backup', copy);
  const message =
    'Set --data to the data file to copy. A state in PostgreSQL (--database) has none: copy it with pg_dump.';
  expect(lacking).toEqual({ exitCode: 64, out: '', err: `rolealerts: ${message}\n` });
});

test('a check of a damaged file prints a sentence for each finding and ends with 1', async () => {
  await writeFile(copy, 'not a database, and longer than a header of one '.repeat(10));
  const finding = 'The file is not readable: file is not a database.\n';
  expect(await serve('check', copy)).toEqual({ exitCode: 1, out: finding, err: '' });
});

test('a check of a folder is wrong usage', async () => {
  const folder = dirname(copy);
  expect(await serve('check', folder)).toEqual({
    exitCode: 64,
    out: '',
    err: `rolealerts: ${folder} is not a file.\n`,
  });
});
