// Runs one command line in a pipe, in a pipe that its reader has closed, and on a terminal, and checks the manners that all commands share.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from 'vitest';
import { parse } from 'yaml';

import { eraseLine } from '../../../src/lib/output.ts';
import { startProgram } from '../rigs/program.ts';
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

const wordsOf = ({ line }: CommandRun) => line.replace('{n}', () => String((runs += 1))).split(' ');

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
  const { output, ended } = startProgram(wordsOf(run), place);
  expect({ code: await ended, ...output }).toEqual({ code: run.code, ...output });
  expect(`${output.stdout}${output.stderr}`).not.toMatch(/[\u001b\r]/);
  expect(output.stdout).toMatch(/(^|\n)$/);
  if (output.stdout !== '') checkFormat(run.format, output.stdout);
  return output;
}

/** In a pipe, in a pipe that its reader has closed, beside a terminal, and a table also on one. */
export async function expectEverywhere(run: CommandRun, place: Place): Promise<void> {
  const printed = await expectInPipe(run, place);
  await expectInClosedPipe(run, place, printed);
  await expectBesideTerminal(run, place, printed);
  if (hasTable(run)) await expectOnTerminal(run, place);
}

function checkFormat(format: string | undefined, text: string): void {
  if (format === 'json' || format === 'sarif') expect(JSON.parse(text)).toBeTypeOf('object');
  if (format === 'yaml') expect(parse(text)).toBeTypeOf('object');
  if (format === 'junit') expect(text).toMatch(/^<\?xml [^]*<\/testsuites>\n$/);
}

/** As `| true` does. */
async function expectInClosedPipe(run: CommandRun, place: Place, { stderr }: Printed): Promise<void> {
  const { child, output, ended } = startProgram(wordsOf(run), place);
  child.stdout?.destroy();
  expect({ code: await ended, stderr: settled(output.stderr) }).toEqual({ code: run.code, stderr: settled(stderr) });
}

/** Standard output goes to a file: what the file gets is what a pipe gets. */
async function expectBesideTerminal(run: CommandRun, place: Place, { stdout, stderr }: Printed): Promise<void> {
  const outputFile = join(place.directory, `output-${(runs += 1)}`);
  const { received, ended } = startOnTerminal(wordsOf(run), { ...place, outputFile, columns });
  expect(await ended).toBe(run.code);
  expect(settled(await readFile(outputFile, 'utf8'))).toBe(settled(stdout));
  const shown = received().split(eraseLine);
  expect(settled(shown.join('')).replaceAll('\r\n', '\n')).toContain(settled(stderr));
  expect(shown.join('')).not.toContain('\u001b');
  expect(received()).toMatch(/(^|\n|\r\u001b\[K)$/);
}

/** A row of a table fits into the terminal, which wraps sentences, and commands to copy. */
async function expectOnTerminal(run: CommandRun, place: Place): Promise<void> {
  const { received, ended } = startOnTerminal(wordsOf(run), { ...place, columns });
  expect(await ended).toBe(run.code);
  expect(received()).toMatch(/\r\n$/);
  expect(tooLong(received(), columns)).toEqual([]);
}

export function tooLong(text: string, columns: number): readonly string[] {
  const lines = text.replaceAll(eraseLine, '').split('\r\n');
  return lines.filter((line) => line.length > columns && !/[.:]$|^ *kubectl /.test(line));
}
