// The demo's operator: a separate process of this program, started with ordinary flags. A supervisor owns it, so that it
// ends with the demo, even when the demo is killed.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { LocalError } from '../../lib/command-errors.ts';
import { readLogTail } from '../control-plane.ts';
import type { Machine } from '../machine.ts';
import { startSupervision } from '../supervision.ts';
import { demoNamespace } from './manifests.ts';

export interface DemoOperator {
  readonly pid: number;
  /** Rejects with `LocalError` and the last lines of the log when the process exited unexpectedly. */
  check(): Promise<void>;
  /** Sends SIGTERM, and SIGKILL after a grace period. */
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL('../../main.ts', import.meta.url));
const name = 'operator';
/** Longer than the 20 seconds in which the operator finishes reconciles in progress. */
const graceMs = 25_000;

/** Starts the operator, and truncates the log. */
export async function startDemoOperator(
  machine: Machine,
  kubeconfigPath: string,
  logPath: string,
): Promise<DemoOperator> {
  await writeFile(logPath, '', { mode: 0o600 });
  const supervision = startSupervision(machine, await mkdtemp(join(tmpdir(), 'rolealerts-demo-')));
  const args = [
    program,
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
  const start = supervision.start({ name, file: machine.nodePath, args, logPath });
  const pid = await start.catch(async (error: unknown) => {
    await supervision.end();
    throw error;
  });
  return {
    pid,
    async check() {
      const how = supervision.endOf(name);
      if (how === undefined) return;
      const tail = await readLogTail(logPath, 5);
      throw new LocalError(`The operator exited (${how}): the last lines of ${logPath}:\n${tail}`);
    },
    async stop() {
      try {
        await supervision.stop(name, graceMs);
      } finally {
        await supervision.end();
      }
    },
  };
}
