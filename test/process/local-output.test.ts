// Where `rolealerts local` prints: the result on standard output, for a pipe, and what happens on the way on standard error.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { startProgram } from '../support/rigs/program.ts';

function emptyFolder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'rolealerts-local-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

test('local up prints its progress on standard error', async () => {
  // Without kind the command ends after its first line.
  const environment = { PATH: emptyFolder() };
  const { ended, output } = startProgram(['local', 'up', '--kind', '--state-dir', emptyFolder()], { environment });
  expect([await ended, output.stdout]).toEqual([1, '']);
  expect(output.stderr).toMatch(/^Using kind; .*\nrolealerts: kind did not run\. Install it and Docker/);
});

test('local down prints its result on standard output', async () => {
  const { ended, output } = startProgram(['local', 'down', '--state-dir', join(emptyFolder(), 'none')]);
  expect([await ended, output.stderr]).toEqual([0, '']);
  expect(output.stdout).toMatch(/^No control plane is running here\n/);
});
