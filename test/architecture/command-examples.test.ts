// A test runs every example in the help of every command.
import { expect, test } from 'vitest';

import { allCommands } from '../support/checks/all-commands.ts';
import { readText } from '../support/checks/findings.ts';

/** The tests that run the examples of these commands. */
const runners: Readonly<Record<string, readonly string[]>> = {
  'process/command-examples.test.ts': [
    'controller',
    'serve',
    'serve backup',
    'serve ca',
    'serve hash',
    'login',
    'validate',
    'completion',
    'version',
    'local up',
    'local status',
    'local down',
  ],
  'process/command-runs.test.ts': ['replay'],
  'process/demo.test.ts': ['demo'],
  'cluster/command-examples.test.ts': ['status', 'doctor', 'trace', 'reconcile', 'suspend', 'resume'],
  'cluster/command-export.test.ts': ['export'],
  'cluster/command-plan.test.ts': ['plan'],
  'cluster/command-ui.test.ts': ['ui'],
};

test('every command has a test that runs its examples', async () => {
  const commands = await allCommands();
  expect(Object.values(runners).flat().toSorted()).toEqual([...commands.keys()].toSorted());
});

test('each of these tests runs what it is listed for', () => {
  const found = Object.entries(runners).flatMap(([name, commands]) => {
    const { file, text } = readText(`test/${name}`);
    const absent = ['examplesOf(', ...commands.map((command) => `'${command}'`)].filter((each) => !text.includes(each));
    return absent.map((each) => `${file}: does not contain ${each}`);
  });
  expect(found).toEqual([]);
});
