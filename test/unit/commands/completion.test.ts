// What the shells complete, and that bash runs its script.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { completionScripts, completionShells } from '../../../src/commands/completion-scripts.ts';
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
    [['validate', '--output=sa'], ['sarif']],
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

it.each(completionShells)('the script for %s asks the program', async (shell) => {
  const { host, written } = recordingHost();
  expect(await runProgram(['completion', shell], host)).toBe(0);
  expect(written.out).toBe(completionScripts[shell]);
  expect(written.out).toContain('rolealerts __complete ');
});

it('a shell without a script is wrong usage', async () => {
  const { host, written } = recordingHost();
  expect(await runProgram(['completion', 'tcsh'], host)).toBe(64);
  expect(written.err).toBe('rolealerts: There is no completion for tcsh: choose one of bash, zsh, fish.\n');
});

it('bash passes the words up to the cursor and takes each line as a candidate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rolealerts-completion-'));
  const stub = join(folder, 'rolealerts');
  writeFileSync(stub, '#!/bin/sh\nprintf "%s\\n" "$#" "$@"\n');
  chmodSync(stub, 0o755);
  const script = `${completionScripts.bash}
COMP_WORDS=(rolealerts trace -n 'pay ments' '' behind)
COMP_CWORD=4
_rolealerts
printf '<%s>' "\${COMPREPLY[@]}"`;
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` };
  const output = execFileSync('bash', ['--norc', '-c', script], { env }).toString();
  expect(output).toBe('<5><__complete><trace><-n><pay ments><>');
});
