// A stop signal while a command reads standard input, or waits for a pipe.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { startProgram } from '../support/rigs/program.ts';

/** More than a pipe holds. */
const someInput = '# a comment\n'.repeat(50_000);

test.each([
  ['validate', '-f', '-'],
  ['plan', '-f', '-'],
])('ends with 1 before the end of the input: %s', async (...args) => {
  const { child, ended, output } = startProgram(args, { hasInput: true });
  child.stdin?.write(someInput);
  await once(child.stdin!, 'drain');
  child.kill('SIGINT');
  expect(await ended).toBe(1);
  expect(output).toEqual({ stdout: '', stderr: 'rolealerts: Stopped.\n' });
});

test('a service that waits for a pipe as its seed ends at a stop signal', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-pipe-'));
  const pipe = join(folder, 'seed');
  execFileSync('mkfifo', [pipe]);
  const writer = await open(pipe, 'r+');
  onTestFinished(async () => {
    await writer.close();
    await rm(folder, { recursive: true });
  });
  const { child, ended } = startProgram(['serve', '--seed', pipe, '--print=url', '--static-token=0123456789abcdef']);
  await once(child.stderr!, 'data');
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});
