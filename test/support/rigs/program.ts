// The real program: as a process, its output collected, killed when the test ends; or in the process of the test, which takes a tenth of the
// time and differs in src/main.ts only. The process runs the bundle of this run (program-setup.ts).
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

import { inject, onTestFinished } from 'vitest';

import { runProgram } from '../../../src/commands/program.ts';
import { recordingHost } from './recording-host.ts';

export interface RunningProgram {
  readonly child: ChildProcess;
  /** What it wrote so far. */
  readonly output: { stdout: string; stderr: string };
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

/** The entry point. */
export const programFile = inject('programFile');

export interface ProgramOptions {
  readonly directory?: string;
  /** Default: standard input is empty. */
  readonly hasInput?: true;
  /** On top of the environment of the tests, without the variables that configure the tests or this program. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The environment of the tests without the variables that configure the tests or this program, and `environment` on top of it. */
export function programEnvironment(environment: ProgramOptions['environment'] = {}): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('ROLEALERTS_'));
  return { ...(Object.fromEntries(inherited) as Record<string, string>), ...environment };
}

export function startProgram(
  args: readonly string[],
  { directory, environment, hasInput }: ProgramOptions = {},
): RunningProgram {
  const env = programEnvironment(environment);
  const child = spawn(process.execPath, [programFile, ...args], { cwd: directory, env, stdio: 'pipe' });
  if (!hasInput) child.stdin.end();
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => (code ?? signal) as number | string);
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { child, output, ended };
}

/** Runs a command in this process. It finds files by their whole paths only. */
export function startHere(
  args: readonly string[],
  { directory = '/nowhere', environment }: Omit<ProgramOptions, 'hasInput'> = {},
) {
  const { host, written } = recordingHost(programEnvironment(environment));
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const own = { nodeVersion: process.version, workingDirectory: directory, stopping: stopping.signal };
  const ended = runProgram(args, { ...host, ...own });
  /** As a stop signal does. */
  const stop = () => stopping.abort();
  return { written, stop, ended };
}

/** The same to its end. */
export async function runHere(...call: Parameters<typeof startHere>) {
  const { written, ended } = startHere(...call);
  const code = await ended;
  return { code, stdout: written.out, stderr: written.err };
}
