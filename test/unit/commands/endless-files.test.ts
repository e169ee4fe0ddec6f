// A path may be a device without an end, or a pipe that no program writes.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { runProgram } from '../../../src/commands/program.ts';
import { recordingHost } from '../../support/rigs/recording-host.ts';

const connectionFile = new URL('../../../deploy/samples/connection.yaml', import.meta.url).pathname;
const newDirectory = () => mkdtemp(join(tmpdir(), 'rolealerts-endless-'));

describe.skipIf(!existsSync('/dev/zero'))('a device without an end', () => {
  test.each([
    ['validate', '-f', '/dev/zero'],
    ['export', '--connection', connectionFile, '--scopes-from', '/dev/zero'],
  ])('is refused by %s', async (...args) => {
    const { host, written } = recordingHost();
    expect(await runProgram(args, host)).toBe(1);
    expect(written.err).toMatch(/^rolealerts: .*\/dev\/zero has more than \d+ bytes: split it\.\n$/);
  });

  test('that a directory contains is refused', async () => {
    const directory = await newDirectory();
    await symlink('/dev/zero', join(directory, 'a.yaml'));
    const { host, written } = recordingHost();
    expect(await runProgram(['validate', '-f', directory], host)).toBe(1);
    expect(written.err).toBe(`rolealerts: ${directory}/a.yaml is not a regular file: remove it.\n`);
  });
});

test('a pipe that a directory contains is refused', async () => {
  const directory = await newDirectory();
  execFileSync('mkfifo', [join(directory, 'a.yaml')]);
  const { host, written } = recordingHost();
  expect(await runProgram(['validate', '-f', directory], host)).toBe(1);
  expect(written.err).toBe(`rolealerts: ${directory}/a.yaml is not a regular file: remove it.\n`);
});
