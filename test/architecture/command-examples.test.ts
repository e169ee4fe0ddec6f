// A test runs every example in the help of every command.
import { readFile } from 'node:fs/promises';

import { expect, it, test } from 'vitest';

import { allCommands } from '../support/checks/all-commands.ts';
import { examplesOf } from '../support/rigs/help-examples.ts';

/** The tests that run the examples of these commands. */
const runners: Readonly<Record<string, readonly string[]>> = {
  'process/command-examples.test.ts': [
    'controller',
    'serve',
    'serve backup',
    'serve check',
    'serve hash',
    'login',
    'validate',
    'completion',
    'local up',
    'local status',
    'local down',
  ],
  'process/demo.test.ts': ['demo'],
  'cluster/command-examples.test.ts': [
    'status',
    'version',
    'doctor',
    'explain',
    'trace',
    'incidents',
    'reconcile',
    'suspend',
    'resume',
  ],
  'cluster/command-examples-files.test.ts': ['timeline', 'budget', 'export'],
  'cluster/command-plan.test.ts': ['plan', 'apply'],
  'cluster/command-replay.test.ts': ['replay'],
  'cluster/command-report.test.ts': ['report'],
  'cluster/command-ui.test.ts': ['ui'],
};

test('every command has a test that runs its examples', async () => {
  const commands = await allCommands();
  expect(Object.values(runners).flat().toSorted()).toEqual([...commands.keys()].toSorted());
});

test.each(Object.entries(runners))('%s runs what it is listed for', async (file, commands) => {
  const text = await readFile(new URL(`../${file}`, import.meta.url), 'utf8');
  expect(text).toContain('examplesOf(');
  expect(commands.filter((command) => !text.includes(`'${command}'`))).toEqual([]);
});

it('the help ends with the examples', async () => {
  expect(await examplesOf('serve hash')).toEqual((await allCommands()).get('serve hash')?.examples);
});
