// Every command has a run in each of its formats and with each of its exit codes, and one that is tried on terminals.
import { existsSync } from 'node:fs';

import { expect, test } from 'vitest';

import { allCommands } from '../support/checks/all-commands.ts';
import { codesOf, commandRuns, elsewhere, formatsOf } from '../support/commands/runs.ts';

const commands = await allCommands();
const { withFiles, withCluster, onTerminals } = commandRuns(commands);
const runs = [...withFiles, ...withCluster];

const withCodes = [...commands].flatMap(([command, spec]) => codesOf(spec).map((code) => `${command} ${code}`));
const ran = new Set(runs.map(({ command, code }) => `${command} ${code}`));

test('every exit code of a command is a run, or a test elsewhere', () => {
  const missing = withCodes.filter((name) => !ran.has(name) && !(name in elsewhere));
  expect(missing.map((name) => `test/support/commands/runs.ts: no run of ${name}`)).toEqual([]);
});

test('a run in every format shows success', () => {
  const shown = new Set(runs.filter(({ code }) => code !== 1).map(({ command, format }) => `${command} ${format}`));
  const wanted = [...commands].flatMap(([command, spec]) => formatsOf(spec).map((format) => `${command} ${format}`));
  expect(wanted.filter((name) => !shown.has(name) && !name.startsWith('doctor '))).toEqual([]);
});

test('the run that is tried on terminals succeeds, or its success is elsewhere', () => {
  const succeeding = new Set([...onTerminals].filter(({ code }) => code === 0).map(({ command }) => command));
  expect([...commands.keys()].filter((name) => !succeeding.has(name) && !(`${name} 0` in elsewhere))).toEqual([]);
});

test('what is elsewhere is not a run, and its test exists', () => {
  expect(Object.keys(elsewhere).filter((name) => ran.has(name) || !withCodes.includes(name))).toEqual([]);
  const files = Object.values(elsewhere).map((file) => new URL(`../${file}`, import.meta.url));
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
