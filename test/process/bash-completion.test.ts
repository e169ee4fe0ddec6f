// The completion script in an interactive bash.
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { installProgram } from '../support/rigs/help-examples.ts';
import { describeWithTerminal, openTerminal } from '../support/rigs/terminal-program.ts';
import { until } from '../support/rigs/until.ts';
import { kubeconfigText } from '../support/servers/mute-server.ts';
import { answer, startScriptedServer } from '../support/servers/scripted-server.ts';

const bash = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((file) => existsSync(file));
const context = 'arn:aws:eks:eu-central-1:1:cluster/prod';

/** A bash that has sourced the script, with the cluster of that context. */
async function startBash() {
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-completion-'));
  const items = ['owners', 'readers.v2'].map((name) => ({ metadata: { name } }));
  const server = await startScriptedServer((_request, response) => answer(response, 200, { metadata: {}, items }));
  onTestFinished(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });
  installProgram(join(folder, 'bin'));
  const config = kubeconfigText(server.url).replace('[{"name":"test","context"', `[{"name":"${context}","context"`);
  await writeFile(join(folder, 'kubeconfig'), config.replace('"current-context":"test"', '"current-context":"none"'));
  const PATH = `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`;
  const environment = { PATH, PS1: 'ready> ', KUBECONFIG: join(folder, 'kubeconfig'), INPUTRC: '/dev/null' };
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
  [`rolealerts trace --context ${context} own`, `rolealerts trace --context ${context} owners `],
  [`rolealerts trace --context=${context} readers.`, `rolealerts trace --context=${context} readers.v2 `],
] as const;

describeWithTerminal('in bash', () => {
  test.skipIf(bash === undefined).each(cases)('Tab completes `%s`', async (typed, completed) => {
    const shell = await startBash();
    shell.type(`${typed}\t`);
    await until(() => shell.received().includes(completed), completed);
    expect(shell.received()).toContain(completed);
  });
});
