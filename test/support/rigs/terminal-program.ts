// The real program on a pseudoterminal, which a prebuilt binary from npm opens on Linux and macOS.
import { onTestFinished } from 'vitest';
import { describe, it } from 'vitest';

import { type ProgramOptions, programEnvironment, programFile } from './program.ts';

const pty = await import('@lydell/node-pty').catch((error: unknown) => ({ problem: String(error) }));

// oxlint-disable vitest/valid-title, vitest/valid-describe-callback, vitest/no-disabled-tests, vitest/no-conditional-tests -- a describe of our own, not a test: title and body are its caller's
/** `describe` for tests with a terminal; skipped with the reason where none opens. */
export function describeWithTerminal(name: string, body: () => void): void {
  if ('problem' in pty) describe(name, () => it.skip(pty.problem, () => undefined));
  else describe(name, body);
}
// oxlint-enable vitest/valid-title, vitest/valid-describe-callback, vitest/no-disabled-tests, vitest/no-conditional-tests

export interface TerminalOptions extends ProgramOptions {
  /** Default: 80. */
  readonly columns?: number;
  /** The file that standard output goes to. Default: the terminal. */
  readonly outputFile?: string;
}

export interface TerminalProgram {
  /** Everything that the terminal received so far, with the echo of what was typed; its line ends are `\r\n`. */
  readonly received: () => string;
  type(text: string): void;
  resize(columns: number): void;
  /** Resolves with the exit code. */
  readonly ended: Promise<number>;
}

/** As a person types Ctrl-C. */
export const interrupt = '\u0003';

const rows = 24;

export function startOnTerminal(args: readonly string[], options: TerminalOptions = {}): TerminalProgram {
  const { outputFile } = options;
  const redirection = outputFile === undefined ? '' : ` > '${outputFile}'`;
  const words = ['-c', `exec "$0" "$@"${redirection}`, process.execPath, programFile, ...args];
  return openTerminal('/bin/sh', words, options);
}

/** Another program, for example a shell. */
export function openTerminal(file: string, words: readonly string[], options: TerminalOptions = {}): TerminalProgram {
  if ('problem' in pty) throw new Error(pty.problem);
  const { columns = 80, directory } = options;
  const env = programEnvironment({ TERM: 'xterm-256color', ...options.environment });
  const terminal = pty.spawn(file, [...words], { cols: columns, rows, env, ...(directory && { cwd: directory }) });
  let received = '';
  let hasEnded = false;
  terminal.onData((text) => (received += text));
  const ended = new Promise<number>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => {
      hasEnded = true;
      // As a shell shows it.
      resolve(signal ? 128 + signal : exitCode);
    });
  });
  onTestFinished(() => {
    if (!hasEnded) terminal.kill('SIGKILL');
  });
  return {
    received: () => received,
    type: (text) => terminal.write(text),
    resize: (width) => terminal.resize(width, rows),
    ended,
  };
}
