// Runs another program to its end. What its output means is the caller's.
import { spawn } from 'node:child_process';

import { OperatorError } from '../lib/errors.ts';
import type { Environment } from './machine.ts';

export interface CommandOptions {
  readonly environment: Environment;
  readonly directory?: string;
  /** Sent on standard input. Absent: standard input is empty. */
  readonly input?: string;
  /** The program is killed after this long. */
  readonly deadlineMs: number;
  /** The program is killed when this aborts, and not started when it has. */
  readonly signal?: AbortSignal | undefined;
  /** Called with every whole line of standard error while the program runs. */
  readonly onErrorLine?: (line: string) => void;
}

export interface CommandResult {
  /** Undefined when a signal ended the program, the one of the deadline included. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Throws `OperatorError` `local` only when the program cannot be started; its exit code is a value. */
export function runCommand(file: string, args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      env: options.environment,
      cwd: options.directory,
      timeout: options.deadlineMs,
      killSignal: 'SIGKILL',
      signal: options.signal,
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    const feed = lineFeeder(options.onErrorLine);
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      stderr.push(chunk);
      feed(chunk);
    });
    child.on('error', (cause) => reject(new OperatorError('local', `Cannot run ${file}: ${cause.message}`, { cause })));
    child.on('close', (code) =>
      resolve({ exitCode: code ?? undefined, stdout: textOf(stdout), stderr: textOf(stderr) }),
    );
    // A program that does not read its input closes the pipe early; its exit code tells what that means.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
  });
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString('utf8');
}

function lineFeeder(onLine: ((line: string) => void) | undefined): (chunk: Buffer) => void {
  let rest = '';
  return (chunk) => {
    if (!onLine) return;
    const lines = (rest + chunk.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  };
}
