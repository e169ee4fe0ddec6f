// The operator of a side, as its image runs it.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { startProgram, type Program } from './programs.ts';
import type { Setup } from './setup.ts';
import type { Side } from './sides.ts';

export interface OperatorOptions {
  /** In place of the API server's own port. */
  readonly apiServerPort?: number;
  /** Default: longer than any measurement, so that no second round begins. */
  readonly interval?: string;
}

export interface Operator extends Program {
  readonly logPath: string;
}

/** `name` names its files. */
export async function startOperator(
  { controlPlane, directory }: Setup,
  side: Side,
  name: string,
  { apiServerPort, interval = '60m' }: OperatorOptions = {},
): Promise<Operator> {
  const kubeconfig = join(directory, `${name}-kubeconfig`);
  const url = apiServerPort === undefined ? controlPlane.url : `https://127.0.0.1:${apiServerPort}`;
  await writeFile(kubeconfig, (await readFile(controlPlane.kubeconfigPath, 'utf8')).replaceAll(controlPlane.url, url));
  const flags = ['--metrics-bind-address=127.0.0.1:0', '--health-probe-bind-address=127.0.0.1:0', '--log-format=json'];
  const reach = ['--leader-elect=false', '--allow-http', '--allow-private-endpoints', `--interval=${interval}`];
  const logPath = join(directory, `${name}.log`);
  const node = [...side.nodeFlags, inspectorPort];
  const program = startProgram({
    args: [...node, side.operatorFile, 'controller', `--kubeconfig=${kubeconfig}`, ...flags, ...reach],
    logPath,
  });
  return { ...program, logPath };
}

/** Only a signal opens the inspector, and then on a free port. */
const inspectorPort = '--inspect-port=127.0.0.1:0';
