import { describe, expect, test } from 'vitest';

import { runCommand } from '../../../src/local/run-command.ts';

const options = { environment: { PATH: '/usr/bin:/bin' }, deadlineMs: 300_000 };

test('lines of standard error arrive while it runs, whole', async () => {
  const lines: string[] = [];
  const onErrorLine = (line: string) => lines.push(line);
  await runCommand('sh', ['-c', 'printf "one\\ntw" >&2; printf "o\\n" >&2'], { ...options, onErrorLine });
  expect(lines).toEqual(['one', 'two']);
});

test('a command that does not end in time is killed', async () => {
  const result = await runCommand('sleep', ['60'], { ...options, deadlineMs: 1 });
  expect(result.exitCode).toBeUndefined();
});

describe('with endsDescendants a command takes along what it has started', () => {
  /** The number that names a process of one test in `ps`. */
  const running = async (marker: string) => {
    const { stdout } = await runCommand('ps', ['-ww', '-eo', 'args='], options);
    return stdout.split('\n').filter((line) => line === `sleep ${marker}`);
  };

  test('when it is aborted', async () => {
    const marker = `301.${process.pid}`;
    const stopping = new AbortController();
    const onErrorLine = () => stopping.abort();
    const script = `sleep ${marker} & echo started >&2; wait`;
    const run = runCommand('sh', ['-c', script], {
      ...options,
      endsDescendants: true,
      signal: stopping.signal,
      onErrorLine,
    });
    await expect(run).rejects.toThrow('Cannot run sh');
    await expect.poll(() => running(marker)).toEqual([]);
  });

  test('at its deadline, which it otherwise outlives through an open pipe', async () => {
    const marker = `302.${process.pid}`;
    const result = await runCommand('sh', ['-c', `sleep ${marker}; true`], {
      ...options,
      deadlineMs: 100,
      endsDescendants: true,
    });
    expect(result.exitCode).toBeUndefined();
    expect(await running(marker)).toEqual([]);
  });

  test('when it exits', async () => {
    const marker = `303.${process.pid}`;
    const result = await runCommand('sh', ['-c', `sleep ${marker} & exit 4`], { ...options, endsDescendants: true });
    expect(result.exitCode).toBe(4);
    expect(await running(marker)).toEqual([]);
  });
});
