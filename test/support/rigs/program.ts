// The real program as a process: started from the sources, its output collected, killed when the test ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

import { onTestFinished } from 'vitest';

export interface RunningProgram {
  readonly child: ChildProcess;
  /** What it wrote so far. */
  readonly output: { stdout: string; stderr: string };
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

const main = new URL('../../../src/main.ts', import.meta.url).pathname;

export interface ProgramOptions {
  readonly directory?: string;
  /** On top of the environment of the tests, without the variables that configure the tests or this program. */
  readonly environment?: Readonly<Record<string, string>>;
}

export function startProgram(
  args: readonly string[],
  { directory, environment = {} }: ProgramOptions = {},
): RunningProgram {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('ROLEALERTS_'));
  const env = { ...Object.fromEntries(inherited), ...environment };
  const child = spawn(process.execPath, [main, ...args], { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => (code ?? signal) as number | string);
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { child, output, ended };
}
