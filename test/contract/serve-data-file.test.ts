// `rolealerts serve backup` and `rolealerts serve ca` beside a service that runs.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import type { Host } from '../../src/commands/host.ts';
import { runProgram } from '../../src/commands/program.ts';
import { startAlertsService } from '../../src/service/server.ts';
import { newFolder } from '../support/rigs/new-folder.ts';
import { recordingHost } from '../support/rigs/recording-host.ts';
import { listOne, seed, turnOff } from '../support/servers/alerts-service-cases.ts';
import { serviceOptions, startOverSocket, type ServiceUnderTest } from '../support/servers/alerts-service.ts';

let folder = '';
let dataFile = '';
let copy = '';
let service: ServiceUnderTest | undefined;
beforeEach(async () => {
  folder = await newFolder();
  [dataFile, copy] = [join(folder, 'state.db'), join(folder, 'copy.db')];
});
afterEach(async () => {
  await service?.stop();
});

/** Runs `rolealerts serve` with these words: its exit code, and what it prints. */
async function serveTo(change: Partial<Host>, ...words: readonly string[]) {
  const { host, written } = recordingHost();
  return { exitCode: await runProgram(['serve', ...words], { ...host, ...change }), ...written };
}
const serve = (...words: readonly string[]) => serveTo({}, ...words);

describe('a backup on standard output', () => {
  const chunks: Uint8Array[] = [];
  const writeBytes = async (bytes: Uint8Array) => void chunks.push(Uint8Array.from(bytes));
  beforeEach(() => void chunks.splice(0));

  test('is the whole file and nothing else, leaves no file, and takes the data file of the environment', async () => {
    service = await startOverSocket({ seed, dataFile });
    await service.send(turnOff);
    const before = await readdir(folder);
    expect(await serveTo({ writeBytes, env: { ROLEALERTS_DATA: dataFile } }, 'backup', '-')).toEqual({
      exitCode: 0,
      out: '',
      err: 'good: scopes: 4, alerts: 7\n',
    });
    expect(await readdir(folder)).toEqual(before);
    const { text } = await service.send({ target: listOne });
    await service.stop();
    await writeFile(copy, Buffer.concat(chunks));
    service = await startOverSocket({ dataFile: copy });
    expect((await service.send({ target: listOne })).text).toBe(text);
  });

  test('that its reader does not take whole is a failure, and leaves no file', async () => {
    service = await startOverSocket({ seed, dataFile });
    const before = await readdir(folder);
    const refuse = () => Promise.reject(new Error('write EPIPE'));
    expect(await serveTo({ writeBytes: refuse }, 'backup', '-', '--data', dataFile)).toEqual({
      exitCode: 1,
      out: '',
      err: 'rolealerts: Cannot write the backup to standard output: write EPIPE.\n',
    });
    expect(await readdir(folder)).toEqual(before);
  });

  test('ends at a stop signal, although its reader takes nothing', async () => {
    service = await startOverSocket({ seed, dataFile });
    const before = await readdir(folder);
    const stopping = new AbortController();
    const stop = () => {
      stopping.abort();
      return new Promise<void>(() => undefined);
    };
    const host = { writeBytes: stop, stopping: stopping.signal };
    expect(await serveTo(host, 'backup', '-', '--data', dataFile)).toMatchObject({ exitCode: 1, out: '' });
    expect(await readdir(folder)).toEqual(before);
  });

  test('is not written to a terminal', async () => {
    service = await startOverSocket({ seed, dataFile });
    const out = { isTerminal: true } as Host['out'];
    expect(await serveTo({ writeBytes, out }, 'backup', '-', '--data', dataFile)).toMatchObject({
      exitCode: 64,
      err: 'rolealerts: A backup is binary: redirect standard output to a file.\n',
    });
    expect(chunks).toEqual([]);
  });
});

describe('the CA', () => {
  test('of a running service is printed, and nothing else', async () => {
    const running = await startAlertsService(serviceOptions({ dataFile, tls: { kind: 'self-signed' } }));
    onTestFinished(() => running.stop());
    const printed = await serve('ca', '--data', dataFile);
    expect(printed).toEqual({ exitCode: 0, out: running.authority, err: '' });
    expect(await serveTo({ env: { ROLEALERTS_DATA: dataFile } }, 'ca')).toEqual(printed);
  });

  test.each([
    [[], 'Set --data or --database to the state of the service.'],
    [['--data', '/nowhere/state.db'], 'The data file /nowhere/state.db does not exist.'],
    [
      ['--data', 'state.db', '--database', 'postgres://127.0.0.1/a'],
      '--data and --database exclude each other: the state is in a file or in PostgreSQL.',
    ],
  ])('with %j is wrong usage', async (words, sentence) => {
    expect(await serve('ca', ...words)).toEqual({ exitCode: 64, out: '', err: `rolealerts: ${sentence}\n` });
  });
});
