import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { readManifestFiles } from '../../../../src/commands/manifests/manifest-files.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'rolealerts-manifests-'));
  await writeFile(join(directory, 'empty.yaml'), '\n');
  await writeFile(join(directory, 'policy.yaml'), 'kind: RoleAlertPolicy\n');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const inputOf = (text: string) => ({
  input: { read: async () => Buffer.from(text) },
  stopping: new AbortController().signal,
});

test('an empty standard input is an error, because the command before the pipe may have failed', async () => {
  await expect(readManifestFiles(['-'], inputOf(' \n'))).rejects.toThrow(
    'Standard input is empty: the command before the pipe wrote no manifest.',
  );
});

test('an empty file that was named is an error', async () => {
  const path = join(directory, 'empty.yaml');
  await expect(readManifestFiles([path], inputOf(''))).rejects.toThrow(`${path} is empty: give a file with manifests.`);
});

test('an empty file in a directory is read as one without manifests', async () => {
  const files = await readManifestFiles([directory], inputOf(''));
  expect(files.map(({ text }) => text.trim())).toEqual(['', 'kind: RoleAlertPolicy']);
});
