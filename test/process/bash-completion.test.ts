// The completion script in an interactive bash.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { installProgram } from '../support/rigs/help-examples.ts';
import { describeWithTerminal, interrupt, openTerminal } from '../support/rigs/terminal-program.ts';
import { until } from '../support/rigs/until.ts';

const bash = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((file) => existsSync(file));
const context = 'arn:aws:eks:eu-central-1:1:cluster/prod';

/** A bash that has sourced the script. */
async function startBash() {
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-completion-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  installProgram(join(folder, 'bin'));
  const PATH = `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`;
  const environment = { PATH, PS1: 'ready> ', INPUTRC: '/dev/null' };
  const shell = openTerminal(bash ?? '', ['--norc', '-i'], { columns: 200, directory: folder, environment });
  await until(() => shell.received().includes('ready> '), 'the prompt');
  shell.type('source <(rolealerts completion bash); echo sourced-$?\n');
  await until(() => shell.received().includes('sourced-0\r\n'), 'the script');
  return shell;
}

const cases = [
  ['rolealerts vali', 'rolealerts validate '],
  ['rolealerts validate --stri', 'rolealerts validate --strict '],
  ['rolealerts validate -o gi', 'rolealerts validate -o github '],
  ['rolealerts validate --output=gi', 'rolealerts validate --output=github '],
  ['rolealerts serve ba', 'rolealerts serve backup '],
  [`rolealerts trace --context ${context} -o js`, `rolealerts trace --context ${context} -o json `],
  [`rolealerts trace --context=${context} -o js`, `rolealerts trace --context=${context} -o json `],
] as const;

describeWithTerminal('in bash', () => {
  test.skipIf(bash === undefined)('Tab completes commands, options and their values', async () => {
    const shell = await startBash();
    for (const [typed, completed] of cases) {
      shell.type(`${typed}\t`);
      await until(() => shell.received().includes(completed), completed);
      shell.type(interrupt);
      // What is typed before the next prompt can be lost with the line.
      await until(() => shell.received().endsWith('ready> '), 'the next prompt');
    }
    expect(cases.filter(([, completed]) => !shell.received().includes(completed))).toEqual([]);
  });
});
