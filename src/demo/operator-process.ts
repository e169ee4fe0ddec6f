// The demo's operator: this same program as a process of its own, started with the flags that anybody would use. A
// supervisor holds it, so that it ends with the demo, a killed one included.
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { cleanText } from '../lib/clean-text.ts';
import { OperatorError } from '../lib/errors.ts';
import type { Machine } from '../local/machine.ts';
import { startSupervision, type Supervision } from '../local/supervision.ts';
import { demoNamespace } from './manifests.ts';

export interface DemoOperator {
  readonly pid: number;
  /** Rejects with `OperatorError` `local`, with the last lines of its log, when it has ended by itself. */
  check(): Promise<void>;
  /** SIGTERM first, and SIGKILL when that is of no use. Repetition is harmless. */
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL('../main.ts', import.meta.url));
const name = 'operator';
/** More than the 20 seconds in which the operator finishes what is under way. */
const graceMs = 25_000;
const logTailLines = 5;

/** The log is begun anew. */
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
      async check() {
        const how = supervision.endOf(name);
        if (how === undefined) return;
        throw new OperatorError('local', `The operator ended (${how}): ${await lastLines(logPath)}`);
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
    '--allow-http',
    '--allow-private-endpoints',
    '--metrics-bind-address=0',
    '--health-probe-bind-address=0',
    '--log-format=text',
  ];
}

async function lastLines(logPath: string): Promise<string> {
  const text = await readFile(logPath, 'utf8').catch(() => '');
  const lines = text.trimEnd().split('\n').slice(-logTailLines);
  return `the last lines of ${logPath}:\n${lines.map((line) => `  ${cleanText(line, 400)}`).join('\n')}`;
}
