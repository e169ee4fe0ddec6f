// The examples in the help of a command, as a test runs them: by a shell, with this program in place of an installed one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { onTestFinished } from 'vitest';

import { programEnvironment, programFile, type ProgramOptions, runHere } from './program.ts';

/** The lines below `Examples:`. `command` may be of two words: `serve hash`. */
export async function examplesOf(command: string): Promise<readonly [string, ...string[]]> {
  const { stdout } = await runHere([...command.split(' '), '--help']);
  const [, text = ''] = stdout.split('\nExamples:\n');
  const [first, ...others] = text.split('\n').flatMap((line) => (line.startsWith('  ') ? [line.trim()] : []));
  if (first === undefined) throw new Error(`The help of ${command} has no examples.`);
  return [first, ...others];
}

export interface RunningExample {
  /** What it wrote so far. */
  readonly output: { stdout: string; stderr: string };
  /** As Ctrl-C does. */
  readonly interrupt: () => void;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

export interface ExampleOptions extends Pick<ProgramOptions, 'environment'> {
  /** Where the example runs, with the programs of its folder `bin` before others. */
  readonly directory: string;
  /** Default: sh. */
  readonly shell?: 'bash';
}

/** A pipe into jq is left out: not every machine has it. A last command takes the place of the shell, so that it gets the signals. */
export function startExample(example: string, { directory, environment, shell }: ExampleOptions): RunningExample {
  const bin = join(directory, 'bin');
  installProgram(bin);
  const { PATH = '', ...others } = programEnvironment({ HOME: directory, ...environment });
  const line = example.replace(/ \| jq .*$/, '');
  const script = /[|;]/.test(line) ? line : line.replace(/^rolealerts /, 'exec rolealerts ');
  const child = spawn(shell ?? 'sh', ['-c', script], {
    cwd: directory,
    env: { ...others, PATH: `${bin}${delimiter}${PATH}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => (code ?? signal) as number | string);
  return { output, interrupt: () => void child.kill('SIGINT'), ended };
}

/** Writes `rolealerts` to that folder. */
export function installProgram(bin: string): void {
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'rolealerts'), `#!/bin/sh\nexec '${process.execPath}' '${programFile}' "$@"\n`, {
    mode: 0o755,
  });
}
