// Folders are created with those above them.
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { makeDirectory } from '../../../src/lib/make-directory.ts';
import { testMachine } from '../../support/rigs/local-machine.ts';

test('every folder that is missing is created with the mode, and an existing one keeps its own', async () => {
  const { directory } = testMachine();
  const mode = (...names: string[]) => statSync(join(directory, ...names)).mode & 0o777;
  mkdirSync(join(directory, 'a'), { mode: 0o755 });
  await makeDirectory(join(directory, 'a', 'b', 'c'), 0o700);
  await makeDirectory(join(directory, 'a', 'b', 'c'), 0o750);
  expect([mode('a'), mode('a', 'b'), mode('a', 'b', 'c')]).toEqual([0o755, 0o700, 0o700]);
});

test('several calls at once create the same folder', async () => {
  const path = join(testMachine().directory, 'a', 'b', 'c');
  await Promise.all(Array.from({ length: 5 }, () => makeDirectory(path)));
  expect(existsSync(path)).toBe(true);
});

test('a relative path is created in the current folder', async () => {
  await makeDirectory('.');
  expect(existsSync('.')).toBe(true);
});

test('a file in its place, or above it, is the error of the system', async () => {
  const file = join(testMachine().directory, 'file');
  writeFileSync(file, '');
  await expect(makeDirectory(file)).rejects.toThrow('EEXIST');
  await expect(makeDirectory(join(file, 'a', 'b'))).rejects.toThrow('ENOTDIR');
});

test.runIf(existsSync('/proc/self'))(
  'a folder in which the system creates none is an error, not an endless attempt',
  async () => {
    await expect(makeDirectory('/proc/rolealerts-test/a')).rejects.toThrow(
      "ENOENT: no such file or directory, mkdir '/proc/rolealerts-test'",
    );
  },
);
