// Runs another program until it exits, and returns its output.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import { LocalError } from '../lib/command-errors.ts';
import type { Environment } from '../lib/options/option.ts';

export interface CommandOptions {
  readonly environment: Environment;
  readonly directory?: string;
  /** Sent on standard input. Absent: standard input is empty. */
  readonly input?: string;
  /** Kills the program after this time, in milliseconds. */
  readonly deadlineMs: number;
  /** Kills the program when it aborts, or prevents the start. */
  readonly signal?: AbortSignal | undefined;
  /** Also ends what the program has started, when it exits or is killed. It then receives no Ctrl-C from the terminal. */
  readonly endsDescendants?: boolean;
  /** Called with each line of standard error while the program runs. */
  readonly onErrorLine?: (line: string) => void;
}

export interface CommandResult {
  /** Undefined when a signal ended the program, including the kill at the deadline. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Throws `LocalError` only when the program cannot start; a non-zero exit code is a result. */
export function runCommand(file: string, args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      env: options.environment,
      cwd: options.directory,
      timeout: options.deadlineMs,
      killSignal: 'SIGKILL',
      signal: options.signal,
      // A process group of its own.
      detached: options.endsDescendants === true,
    });
    const endDescendants = () => {
      if (options.endsDescendants) killGroup(child.pid ?? 0);
    };
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    const { onErrorLine } = options;
    if (onErrorLine) createInterface({ input: child.stderr }).on('line', onErrorLine);
    child.on('exit', endDescendants);
    child.on('error', (cause) => {
      endDescendants();
      reject(new LocalError(`Cannot run ${file}: ${cause.message}`, { cause }));
    });
    child.on('close', (code) =>
      resolve({ exitCode: code ?? undefined, stdout: textOf(stdout), stderr: textOf(stderr) }),
    );
    // A program that does not read its input closes the pipe early. Its exit code decides whether that is an error.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
  });
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString('utf8');
}

/** Does nothing when the process has exited, which may be at any moment. */
export function sendSignal(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process or the group has no members left.
  }
}

/** Kills a process group. Its id is that of the process for which it was created, and stays while a member lives. */
export function killGroup(pid: number): void {
  if (pid > 1) sendSignal(-pid, 'SIGKILL');
}
