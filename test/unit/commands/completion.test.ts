// What the shells complete. test/process/bash-completion.test.ts runs the script.
import { describe, expect, it } from 'vitest';

import { runProgram } from '../../../src/commands/program.ts';
import { recordingHost } from '../../support/rigs/recording-host.ts';

async function candidates(...words: readonly string[]): Promise<readonly string[]> {
  const { host, written } = recordingHost();
  expect(await runProgram(['__complete', ...words], host)).toBe(0);
  expect(written.err).toBe('');
  return written.out.split('\n').filter((line) => line !== '');
}

describe('the candidates', () => {
  it.each([
    [['val'], ['validate']],
    [['nonsense', ''], []],
    [['validate', '--str'], ['--strict']],
    [['validate', '--no-s'], ['--no-strict']],
    [
      ['validate', '-o', 'j'],
      ['json', 'junit'],
    ],
    [
      ['validate', '--output', ''],
      ['text', 'json', 'sarif', 'junit', 'github'],
    ],
    [['validate', '--output', '=', 'sa'], ['sarif']],
    [['validate', '-f', ''], []],
    [
      ['local', ''],
      ['up', 'down', 'status'],
    ],
    [['local', 'up', '--ki'], ['--kind']],
    [['serve', 'ba'], ['backup']],
    [['serve', 'backup', '--da'], ['--data']],
    [['ui', '--all'], ['--all-namespaces']],
  ] as const)('of %j are %j', async (words, wanted) => {
    expect(await candidates(...words)).toEqual(wanted);
  });

  it('have every command, but not the hidden one', async () => {
    const names = await candidates('');
    expect(names).toEqual(expect.arrayContaining(['controller', 'status', 'completion']));
    expect(names.join()).not.toContain('__');
  });
});

it('a shell without a script is wrong usage', async () => {
  const { host, written } = recordingHost();
  expect(await runProgram(['completion', 'tcsh'], host)).toBe(64);
  expect(written.err).toBe('rolealerts: There is no completion for tcsh: choose one of bash, zsh, fish.\n');
});
