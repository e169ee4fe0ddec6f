// A directory without manifests is a mistake in the path: a pipeline must not take it for valid files.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { runProgram } from '../../../src/commands/program.ts';
import { recordingHost } from '../../support/rigs/recording-host.ts';

test.each(['validate', 'plan', 'status'])('%s refuses it', async (command) => {
  const directory = await mkdtemp(join(tmpdir(), 'rolealerts-empty-'));
  await writeFile(join(directory, 'README.md'), 'No manifest.');
  const { host, written } = recordingHost();
  expect([await runProgram([command, '-f', directory], host), written]).toEqual([
    64,
    {
      out: '',
      err: `rolealerts: ${directory} has no file that ends in .yaml, .yml or .json: give the directory of the manifests.\n`,
    },
  ]);
});
