// `rolealerts serve --scanner` with an assignment file: the service lists its findings, and a stop ends the scanner.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeEach, expect, test } from 'vitest';

import { runProgram } from '../../src/commands/program.ts';
import { newFolder } from '../support/rigs/new-folder.ts';
import { recordingHost } from '../support/rigs/recording-host.ts';
import { until } from '../support/rigs/until.ts';
import { apiVersion, listOf, listPath, sendOverSocket, staticToken } from '../support/servers/alerts-service.ts';

let folder = '';
beforeEach(async () => void (folder = await newFolder()));

test('the program lists what its scanner found', async () => {
  await writeFile(join(folder, 'scanner.yaml'), 'source: {file: {path: assignments.yaml}}');
  const assignments = [1, 2, 3, 4, 5].map((number) => ({ role: 'Owner', assignee: { id: `owner-${number}` } }));
  await writeFile(join(folder, 'assignments.yaml'), JSON.stringify({ scopes: { 'a/b': { assignments } } }));
  const stopping = new AbortController();
  const { host, written } = recordingHost();
  const args = ['serve', '--scanner', join(folder, 'scanner.yaml'), '--static-token', staticToken];
  const ended = runProgram(args, { ...host, workingDirectory: folder, stopping: stopping.signal });
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
