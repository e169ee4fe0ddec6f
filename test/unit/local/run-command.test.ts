import { expect, test } from 'vitest';

import { runCommand } from '../../../src/local/run-command.ts';

const options = { environment: { PATH: '/usr/bin:/bin' }, deadlineMs: 300_000 };

test('a command gives its output and its exit code', async () => {
  const result = await runCommand('sh', ['-c', 'echo out; echo err >&2; exit 3'], options);
  expect(result).toEqual({ exitCode: 3, stdout: 'out\n', stderr: 'err\n' });
});

test('lines of standard error arrive while it runs, whole', async () => {
  const lines: string[] = [];
  const onErrorLine = (line: string) => lines.push(line);
  await runCommand('sh', ['-c', 'printf "one\\ntw" >&2; printf "o\\n" >&2'], { ...options, onErrorLine });
  expect(lines).toEqual(['one', 'two']);
});

test('what is sent arrives, and a command that does not read it is no error', async () => {
  expect((await runCommand('cat', [], { ...options, input: 'hello' })).stdout).toBe('hello');
  expect((await runCommand('sh', ['-c', 'exit 0'], { ...options, input: 'x'.repeat(1_000_000) })).exitCode).toBe(0);
});

test('a command that does not end in time is killed', async () => {
  const result = await runCommand('sleep', ['60'], { ...options, deadlineMs: 1 });
  expect(result.exitCode).toBeUndefined();
});

test('a command that is not there is an error that names it', async () => {
  await expect(runCommand('no-such-command', [], options)).rejects.toThrow('Cannot run no-such-command');
});
