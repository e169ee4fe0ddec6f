// The demo's operator: a separate process of this program, started with ordinary flags. A supervisor owns it, so that it
// ends with the demo, even when the demo is killed.
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { cleanText } from '../../lib/clean-text.ts';
import { LocalError } from '../../lib/command-errors.ts';
import type { Machine } from '../machine.ts';
import { startSupervision, type Supervision } from '../supervision.ts';
import { demoNamespace } from './manifests.ts';

export interface DemoOperator {
  readonly pid: number;
  /** The URL of the metrics; undefined until the operator serves them. */
  metricsURL(): Promise<string | undefined>;
  /** Rejects with `LocalError` and the last lines of the log when the process exited unexpectedly. */
  check(): Promise<void>;
  /** Sends SIGTERM, and SIGKILL after a grace period. Idempotent. */
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL('../../main.ts', import.meta.url));
const name = 'operator';
/** Longer than the 20 seconds in which the operator finishes reconciles in progress. */
const graceMs = 25_000;
const logTailLines = 5;

/** Starts the operator, and truncates the log. */
export async function startDemoOperator(
  machine: Machine,
  kubeconfigPath: string,
  logPath: string,
): Promise<DemoOperator> {
  const supervision = startSupervision(machine, await mkdtemp(join(tmpdir(), 'rolealerts-demo-')));
  try {
    await writeFile(logPath, '', { mode: 0o600 });
    const args = [program, ...operatorArgs(kubeconfigPath)];
    const pid = await supervision.start({ name, file: machine.nodePath, args, logPath });
    let stopping: Promise<void> | undefined;
    return {
      pid,
      metricsURL: async () => metricsURLIn(await readFile(logPath, 'utf8').catch(() => '')),
      async check() {
        const how = supervision.endOf(name);
        if (how === undefined) return;
        throw new LocalError(`The operator exited (${how}): ${await lastLines(logPath)}`);
      },
      stop: () => (stopping ??= stopOperator(supervision)),
    };
  } catch (error) {
    await supervision.end();
    throw error;
  }
}

async function stopOperator(supervision: Supervision): Promise<void> {
  try {
    await supervision.stop(name, graceMs);
  } finally {
    await supervision.end();
  }
}

function operatorArgs(kubeconfigPath: string): readonly string[] {
  return [
    'controller',
    `--kubeconfig=${kubeconfigPath}`,
    `--watch-namespaces=${demoNamespace}`,
    '--leader-elect=false',
    '--allow-http',
    '--allow-private-endpoints',
    '--metrics-bind-address=127.0.0.1:0',
    '--health-probe-bind-address=0',
    '--log-format=text',
  ];
}

/** The operator listens on a free port, which the line of its start in the log names. */
export function metricsURLIn(log: string): string | undefined {
  const [, url] = / started .*\bmetricsURL=(http:\/\/\S+)/.exec(log) ?? [];
  return url && `${url}/metrics`;
}

async function lastLines(logPath: string): Promise<string> {
  const text = await readFile(logPath, 'utf8').catch(() => '');
  const lines = text.trimEnd().split('\n').slice(-logTailLines);
  return `the last lines of ${logPath}:\n${lines.map((line) => `  ${cleanText(line, 400)}`).join('\n')}`;
}
