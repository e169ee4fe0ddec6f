// Folders are created with those above them.
import { existsSync, mkdirSync, statSync } from 'node:fs';
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

test.runIf(existsSync('/proc/self'))(
  'a folder in which the system creates none is an error, not an endless attempt',
  async () => {
    await expect(makeDirectory('/proc/rolealerts-test/a')).rejects.toThrow(
      "ENOENT: no such file or directory, mkdir '/proc/rolealerts-test'",
    );
  },
);
