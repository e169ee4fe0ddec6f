// `rolealerts serve --scanner` with an assignment file: the service lists its findings, and a stop ends the scanner.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import type { Host } from '../../src/commands/host.ts';
import { runProgram } from '../../src/commands/program.ts';
import { noBytes, noInput } from '../support/rigs/no-input.ts';
import { until } from '../support/rigs/until.ts';
import { apiVersion, listOf, listPath, sendOverSocket, staticToken } from '../support/servers/alerts-service.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rolealerts-serve-'));
});
afterEach(() => rm(folder, { recursive: true }));

function hostUntil(stopping: AbortSignal) {
  const written = { out: '', err: '' };
  const output = (name: 'out' | 'err') => ({
    write: (text: string) => void (written[name] += text),
    isTerminal: false,
    canRedraw: false,
    columns: 80,
    rows: 24,
  });
  const facts = { platform: 'linux', arch: 'x64', env: {}, execPath: process.execPath } as const;
  const streams = { input: noInput, out: output('out'), err: output('err') };
  const program = { nodeVersion: process.version, programFile: '', writeBytes: noBytes };
  const host: Host = { env: {}, facts, ...program, workingDirectory: folder, ...streams, stopping };
  return { host, written };
}

test('the program lists what its scanner found', async () => {
  await writeFile(join(folder, 'scanner.yaml'), 'source: {file: {path: assignments.yaml}}');
  const assignments = [1, 2, 3, 4, 5].map((number) => ({ role: 'Owner', assignee: { id: `owner-${number}` } }));
  await writeFile(join(folder, 'assignments.yaml'), JSON.stringify({ scopes: { 'a/b': { assignments } } }));
  const stopping = new AbortController();
  const { host, written } = hostUntil(stopping.signal);
  const args = ['serve', '--scanner', join(folder, 'scanner.yaml'), '--static-token', staticToken];
  const ended = runProgram(args, host);
  await until(() => written.err.includes('role assignments scanned'), 'the first scan');
  const [url = ''] = written.out.split('\n');
  const { value } = listOf(await sendOverSocket(url, { target: `/a%2Fb${listPath}?${apiVersion}` }));
  const flags = value.map(({ properties }) => [properties['isActive'], properties['incidentCount']]);
  expect(flags).toEqual([
    [true, 5],
    [true, 5],
    [false, 0],
    [false, 0],
  ]);
  stopping.abort();
  expect(await ended).toBe(0);
});
