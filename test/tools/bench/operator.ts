// The operator of a side, as its image runs it.
import { join } from 'node:path';

import { startProgram, type Program } from './programs.ts';
import type { Setup } from './setup.ts';
import type { Side } from './sides.ts';

/** `name` names its files. */
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
