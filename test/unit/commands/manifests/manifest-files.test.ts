// Paths of --filename that hold no manifest: none is taken for valid files, and none is read without an end.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeEach, describe, expect, test } from 'vitest';

import { readManifestFiles } from '../../../../src/commands/manifests/manifest-files.ts';
import { runProgram } from '../../../../src/commands/program.ts';
import { recordingHost } from '../../../support/rigs/recording-host.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'rolealerts-manifests-'));
});

async function run(args: readonly string[], stdin = '') {
  const { host, written } = recordingHost({}, stdin);
  return { code: await runProgram(args, host), ...written };
}

test('an empty standard input is an error, because the command before the pipe may have failed', async () => {
  expect(await run(['validate', '-f', '-'], ' \n')).toEqual({
    code: 1,
    out: '',
    err: 'rolealerts: Standard input is empty: the command before the pipe wrote no manifest.\n',
  });
});

test('an empty file is an error if it was named, and one without manifests in a directory', async () => {
  const path = join(directory, 'empty.yaml');
  await writeFile(path, '\n');
  expect((await run(['validate', '-f', path])).err).toBe(`rolealerts: ${path} is empty: give a file with manifests.\n`);
  await writeFile(join(directory, 'policy.yaml'), 'kind: RoleAlertPolicy\n');
  const { signal: stopping } = new AbortController();
  const files = await readManifestFiles([directory], { input: { read: async () => Buffer.from('') }, stopping });
  expect(files.map(({ text }) => text.trim())).toEqual(['', 'kind: RoleAlertPolicy']);
});

test.each(['validate', 'plan', 'status'])('%s refuses a directory without manifests', async (command) => {
  await writeFile(join(directory, 'README.md'), 'No manifest.');
  expect(await run([command, '-f', directory])).toEqual({
    code: 64,
    out: '',
    err: `rolealerts: ${directory} has no file that ends in .yaml, .yml or .json: give the directory of the manifests.\n`,
  });
});

describe.skipIf(!existsSync('/dev/zero'))('a device without an end', () => {
  const connection = new URL('../../../../deploy/samples/connection.yaml', import.meta.url).pathname;

  test.each([
    ['validate', '-f', '/dev/zero'],
    ['export', '--connection', connection, '--scopes-from', '/dev/zero'],
  ])('is refused by %s', async (...args) => {
    expect(await run(args)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^rolealerts: .*\/dev\/zero has more than \d+ bytes: split it\.\n$/),
    });
  });
});

test.each([
  ['device', (path: string) => symlink('/dev/zero', path)],
  ['pipe', async (path: string) => execFileSync('mkfifo', [path])],
])('a %s that a directory contains is refused', async (_, make) => {
  await make(join(directory, 'a.yaml'));
  expect(await run(['validate', '-f', directory])).toMatchObject({
    code: 1,
    err: `rolealerts: ${directory}/a.yaml is not a regular file: remove it.\n`,
  });
});
