// A stop signal while a command reads standard input.
import { once } from 'node:events';

import { expect, test } from 'vitest';

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
