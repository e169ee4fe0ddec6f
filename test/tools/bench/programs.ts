// Programs as processes of their own, started and measured: so that only the operator's own cost counts.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { keepProcessAlive, systemClock } from '../../../src/lib/clock.ts';
import { poll } from '../../../src/local/long-steps.ts';
import type { Setup } from './setup.ts';
import type { Side } from './sides.ts';

export interface Usage {
  /** User and system time since its start; the system counts hundredths. */
  readonly cpuSeconds: number;
  readonly peakMiB: number;
}

export interface Program {
  readonly pid: number;
  readonly startedMs: number;
  usage(): Usage;
  /** SIGTERM, and resolves when it is gone. Idempotent. */
  stop(): Promise<void>;
}

export interface ProgramOptions {
  readonly args: readonly string[];
  /** Called with every line of standard output. */
  readonly onLine?: (line: string) => void;
  /** Called with every line of the log; absent: the log goes to `logPath`. */
  readonly onLogLine?: (line: string) => void;
  readonly logPath: string;
}

/** Starts Node with these arguments. Reads its output, so that it never blocks. */
export function startProgram({ args, onLine, onLogLine, logPath }: ProgramOptions): Program {
  const startedMs = performance.now();
  const log = openSync(logPath, 'a');
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', onLogLine ? 'pipe' : log] });
  closeSync(log);
  readLines(child.stdout, onLine);
  readLines(child.stderr, onLogLine);
  const { pid } = child;
  if (pid === undefined) throw new Error(`cannot start ${args.join(' ')}`);
  const exited = once(child, 'exit');
  return {
    pid,
    startedMs,
    usage() {
      if (child.exitCode !== null) throw new Error(endedEarly(args, child.exitCode, logPath));
      return readUsage(pid);
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function endedEarly(args: readonly string[], exitCode: number, logPath: string): string {
  return `${args.join(' ')} ended with ${exitCode}. The end of its log:\n${readFileSync(logPath, 'utf8').slice(-2000)}`;
}

function readLines(stream: ChildProcess['stdout'], onLine: (line: string) => void = () => undefined): void {
  if (stream) createInterface({ input: stream }).on('line', onLine);
}

const ticksPerSecond = 100;

/** From /proc. The process's name in `stat` may hold spaces; it ends with the last parenthesis. */
export function readUsage(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, peakKiB] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
  return { cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond, peakMiB: Number(peakKiB) / 1024 };
}

/** The operator of a side, as its image runs it. `name` names its files. */
export async function startOperator({ controlPlane, directory }: Setup, side: Side, name: string): Promise<Program> {
  const flags = ['--metrics-bind-address=127.0.0.1:0', '--health-probe-bind-address=127.0.0.1:0', '--log-format=json'];
  // Longer than any measurement, so that no second round begins.
  const reach = ['--leader-elect=false', '--allow-http', '--allow-private-endpoints', '--interval=60m'];
  return startProgram({
    args: [
      ...side.nodeFlags,
      side.operatorFile,
      'controller',
      `--kubeconfig=${controlPlane.kubeconfigPath}`,
      ...flags,
      ...reach,
    ],
    logPath: join(directory, `${name}.log`),
  });
}

/** Polls real state, with a deadline. */
export async function waitFor<V>(
  what: string,
  { withinMs, everyMs }: { readonly withinMs: number; readonly everyMs: number },
  ask: () => Promise<V | undefined> | V | undefined,
): Promise<V> {
  const value = await keepProcessAlive(() => poll({ clock: systemClock, withinMs, everyMs }, async () => ask()));
  if (value === undefined) throw new Error(`not within ${withinMs} ms: ${what}`);
  return value;
}
