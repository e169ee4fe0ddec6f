// `rolealerts controller` as a process of its own, for tests that send it signals. It is killed when its test ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

import { eventually } from './control-plane.ts';

const program = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export interface OperatorProcess {
  /** Everything on standard error so far: log lines, and sentences of the program. */
  readonly lines: readonly string[];
  readonly probesURL: string;
  readonly metricsURL: string;
  kill(signal: NodeJS.Signals): void;
  /** Exit code and signal once it has ended by itself. */
  readonly ended: Promise<readonly [number | null, NodeJS.Signals | null]>;
}

/** Resolves with a process that has ended or has said its URLs. */
export async function startOperatorProcess(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<OperatorProcess> {
  const child = spawn(
    process.execPath,
    [
      program,
      'controller',
      '--allow-http',
      '--allow-private-endpoints',
      '--log-level=debug',
      '--metrics-bind-address=127.0.0.1:0',
      '--health-probe-bind-address=127.0.0.1:0',
      ...args,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env['PATH'], ...environment } },
  );
  const lines: string[] = [];
  createInterface(child.stderr).on('line', (line) => lines.push(line));
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const start = await eventually('the start of the program', () => {
    const line = lines.find((each) => each.includes('"msg":"started"'));
    if (line !== undefined) return JSON.parse(line) as { probesURL: string; metricsURL: string };
    return child.exitCode === null ? undefined : { probesURL: '', metricsURL: '' };
  });
  return { lines, ...start, kill: (signal) => void child.kill(signal), ended };
}
