// Runs one command line in the process of the test, and as a process beside and on a terminal, and checks the manners that all commands share.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from 'vitest';
import { parse } from 'yaml';

import { eraseLine } from '../../../src/lib/output.ts';
import { runHere } from '../rigs/program.ts';
import { startOnTerminal } from '../rigs/terminal-program.ts';
import { type CommandRun, hasTable } from './runs.ts';

export interface Place {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** Few, so that a table has to shrink. */
const columns = 40;

let runs = 0;

/** A file of the folder by its whole path. */
const wordsOf = ({ line }: CommandRun, { directory }: Place) =>
  line
    .replace('{n}', () => String((runs += 1)))
    .split(' ')
    .map((word) => word.replace(/^\.\//, `${directory}/`));

/** Times, names of copies and free ports differ from run to run. */
const settled = (text: string) =>
  text
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'TIME')
    .replaceAll(/x-request-id \S+/g, 'REQUEST')
    .replaceAll(/copy-\d+/g, 'COPY')
    .replaceAll(/127\.0\.0\.1(:|%3A)\d+/g, 'ADDRESS')
    .replaceAll(/state=[\w-]+|\b\d+ ?m?s\b/g, 'VARIES');

/** Standard output has nothing but data, and neither stream an escape sequence. */
export async function expectInPipe(run: CommandRun, place: Place): Promise<Printed> {
  const { code, ...printed } = await runHere(wordsOf(run, place), place);
  expect({ code, ...printed }).toEqual({ code: run.code, ...printed });
  expect(`${printed.stdout}${printed.stderr}`).not.toMatch(/[\u001b\r]/);
  expect(printed.stdout).toMatch(/(^|\n)$/);
  if (printed.stdout !== '') checkFormat(run.format, printed.stdout);
  return printed;
}

/** As a process beside a terminal, and a table also on one. */
export async function expectOnTerminals(run: CommandRun, place: Place): Promise<void> {
  await expectBesideTerminal(run, place, await expectInPipe(run, place));
  if (hasTable(run)) await expectOnTerminal(run, place);
}

function checkFormat(format: string | undefined, text: string): void {
  if (format === 'json' || format === 'sarif') expect(JSON.parse(text)).toBeTypeOf('object');
  if (format === 'yaml') expect(parse(text)).toBeTypeOf('object');
  if (format === 'junit') expect(text).toMatch(/^<\?xml [^]*<\/testsuites>\n$/);
}

/** Standard output goes to a file: what the file gets is what a pipe gets. */
async function expectBesideTerminal(run: CommandRun, place: Place, { stdout, stderr }: Printed): Promise<void> {
  const outputFile = join(place.directory, `output-${(runs += 1)}`);
  const { received, ended } = startOnTerminal(wordsOf(run, place), { ...place, outputFile, columns });
  expect(await ended).toBe(run.code);
  expect(settled(await readFile(outputFile, 'utf8'))).toBe(settled(stdout));
  const shown = received().split(eraseLine);
  expect(settled(shown.join('')).replaceAll('\r\n', '\n')).toContain(settled(stderr));
  expect(shown.join('')).not.toContain('\u001b');
  expect(received()).toMatch(/(^|\n|\r\u001b\[K)$/);
}

/** A row of a table fits into the terminal, which wraps sentences, and commands to copy. */
async function expectOnTerminal(run: CommandRun, place: Place): Promise<void> {
  const { received, ended } = startOnTerminal(wordsOf(run, place), { ...place, columns });
  expect(await ended).toBe(run.code);
  expect(received()).toMatch(/\r\n$/);
  expect(tooLong(received(), columns)).toEqual([]);
}

export function tooLong(text: string, columns: number): readonly string[] {
  const lines = text.replaceAll(eraseLine, '').split('\r\n');
  return lines.filter((line) => line.length > columns && !/[.:]$|^ *kubectl /.test(line));
}
