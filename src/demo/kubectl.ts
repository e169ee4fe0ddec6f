// kubectl against the demo's API server.
import { join } from 'node:path';

import { sleep, systemClock } from '../lib/clock.ts';
import { LocalError } from '../lib/command-errors.ts';
import type { ControlPlane } from '../local/control-plane.ts';
import type { Machine } from '../local/machine.ts';
import { runCommand } from '../local/run-command.ts';
import { type DemoHost, refuseIfStopped } from './demo-host.ts';

/** Runs kubectl against the demo's API server and resolves with its standard output. */
export type Kubectl = (args: readonly string[], input?: string) => Promise<string>;

const kubectlDeadlineMs = 60_000;
/** Ctrl-C also reaches kubectl, which may exit before this process handles the signal. */
const signalDelayMs = 100;

/** Throws `LocalError` when kubectl fails, and `StoppedError` once the demo is stopped. */
export function kubectlOf(machine: Machine, controlPlane: ControlPlane, host: DemoHost): Kubectl {
  const environment = { ...machine.environment, KUBECACHEDIR: join(controlPlane.dataDirectory, 'kubectl-cache') };
  return async (args, input) => {
    refuseIfStopped(host);
    const options = { environment, deadlineMs: kubectlDeadlineMs, ...(input !== undefined && { input }) };
    const result = await runCommand(
      controlPlane.kubectlPath,
      ['--kubeconfig', controlPlane.kubeconfigPath, ...args],
      options,
    );
    if (result.exitCode === 0) return result.stdout;
    await sleep(systemClock, signalDelayMs, host.stopping);
    refuseIfStopped(host);
    throw new LocalError(`kubectl ${args[0] ?? ''} failed: ${result.stderr.trim()}`);
  };
}
