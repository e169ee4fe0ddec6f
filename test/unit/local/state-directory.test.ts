// The folder with the state of a local control plane.
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, test } from 'vitest';

import { LocalError } from '../../../src/lib/command-errors.ts';
import { messageOf } from '../../../src/lib/errors.ts';
import { prepareStateDirectory } from '../../../src/local/state-directory.ts';
import { testMachine } from '../../support/rigs/local-machine.ts';

test('it is readable by its owner only', async () => {
  const stateDirectory = join(testMachine().directory, 'new', 'state');
  await prepareStateDirectory({ stateDirectory });
  expect(statSync(stateDirectory).mode & 0o777).toBe(0o700);
});

test('a file in its place is an error of the machine, with a sentence', async () => {
  const stateDirectory = join(testMachine().directory, 'file');
  writeFileSync(stateDirectory, '');
  const error: unknown = await prepareStateDirectory({ stateDirectory }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(LocalError);
  expect(messageOf(error)).toMatch(/^Cannot write to the state folder \S+\/file: EEXIST: file already exists/);
  expect(messageOf(error)).toMatch(/\. Name another folder with --state-dir\.$/);
});

test.runIf(existsSync('/proc/self'))(
  'a folder in which the system creates none is an error as well, not an endless attempt',
  async () => {
    const stateDirectory = '/proc/rolealerts-test/state';
    await expect(prepareStateDirectory({ stateDirectory })).rejects.toThrow(
      `Cannot write to the state folder ${stateDirectory}: ENOENT: no such file or directory, mkdir '${dirname(stateDirectory)}'.`,
    );
  },
);
