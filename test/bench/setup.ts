// The set-up of every measurement: the bundle, a control plane, and for each fleet a namespace and an alerts service of its own.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { rolldown } from 'rolldown';

import bundle, { outputTo } from '../../.config/rolldown.ts';
import { startControlPlane, type ControlPlane } from '../../src/local/control-plane.ts';
import { findBinaries } from '../../src/local/find-binaries.ts';
import { thisMachine } from '../../src/local/machine.ts';
import { createProgress } from '../../src/local/progress.ts';
import { runCommand } from '../../src/local/run-command.ts';
import { createFleet, fleetSeed, type FleetShape } from '../support/builders/fleet.ts';
import { openKubeRequests, type KubeRequests } from '../support/rigs/kube-requests.ts';
import { startProgram, type Program } from './programs.ts';

export interface Setup {
  readonly controlPlane: ControlPlane;
  readonly requests: KubeRequests;
  readonly directory: string;
  /** The operator, and the baseline, each bundled as `npm run build` does it. */
  readonly operatorFile: string;
  readonly baselineFile: string;
  /** As the image sets it. */
  readonly nodeFlags: readonly string[];
  stop(): Promise<void>;
}

export async function openSetup(): Promise<Setup> {
  const machine = thisMachine(process);
  const sink = { clock: machine.clock, isTerminal: process.stderr.isTTY };
  const progress = createProgress({ ...sink, write: (text) => process.stderr.write(text) });
  const controlPlane = await startControlPlane({ machine, binaries: await findBinaries(machine, progress) });
  try {
    const directory = join(controlPlane.dataDirectory, 'bench');
    await mkdir(directory);
    const operatorFile = await writeBundle('src/main.ts', directory, 'rolealerts');
    const baselineFile = await writeBundle('test/bench/baseline.ts', directory, 'baseline');
    const kubectl = async (...args: string[]) => {
      const { kubectlPath, kubeconfigPath } = controlPlane;
      const result = await runCommand(kubectlPath, ['--kubeconfig', kubeconfigPath, ...args], {
        environment: { ...process.env, KUBECACHEDIR: join(directory, 'kubectl-cache') },
        deadlineMs: 60_000,
      });
      if (result.exitCode !== 0) throw new Error(result.stderr);
    };
    await kubectl('apply', '--server-side', '--kustomize', 'crds');
    await kubectl('wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all');
    const requests = openKubeRequests(controlPlane);
    const stop = async () => {
      await requests.stop();
      await controlPlane.stop();
    };
    const nodeFlags = await readNodeFlags();
    return { controlPlane, requests, directory, operatorFile, baselineFile, nodeFlags, stop };
  } catch (error) {
    await controlPlane.stop();
    throw error;
  }
}

async function writeBundle(input: string, directory: string, name: string): Promise<string> {
  const build = await rolldown({ ...bundle, input });
  await build.write(outputTo(directory, name));
  await build.close();
  return join(directory, `${name}.mjs`);
}

/** What the image's entry point has between `node` and the file. */
async function readNodeFlags(): Promise<string[]> {
  const [, entryPoint = '[]'] = /^ENTRYPOINT (\[.*\])$/m.exec(await readFile('deploy/Dockerfile', 'utf8')) ?? [];
  return (JSON.parse(entryPoint) as string[]).slice(1, -1);
}

export const serviceToken = 'token-of-the-bench';

export interface RunningService extends Program {
  readonly url: string;
  /** Successful requests, by method. */
  readonly answered: { readonly GET: number; readonly PATCH: number };
}

/** The service of the bundle, with the alerts of a fleet. */
export async function startService(setup: Setup, name: string, shape: FleetShape): Promise<RunningService> {
  const seedFile = join(setup.directory, `${name}-seed.json`);
  await writeFile(seedFile, JSON.stringify(fleetSeed(shape)));
  const answered = { GET: 0, PATCH: 0 };
  const count = (line: string) => {
    const { msg, method, status } = JSON.parse(line) as { msg?: string; method?: 'GET' | 'PATCH'; status?: number };
    if (msg === 'request answered' && method !== undefined && (status ?? 500) < 300) answered[method] += 1;
  };
  const { promise, resolve } = Promise.withResolvers<string>();
  const program = startProgram({
    // Without its rate limit, because a 429 would make the operator list and write twice.
    args: [
      setup.operatorFile,
      'serve',
      '--rate-limit=0',
      '--seed',
      seedFile,
      '--static-token',
      serviceToken,
      '--log-format=json',
    ],
    onLine: resolve,
    onLogLine: count,
    logPath: join(setup.directory, `${name}-service.log`),
  });
  return { ...program, url: await promise, answered };
}

/** A namespace with a fleet in it; `remove` deletes its policies and connections. */
export async function placeFleet(
  { requests }: Setup,
  namespace: string,
  serviceURL: string,
  shape: FleetShape,
): Promise<{ remove(): Promise<void> }> {
  await requests.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  await createFleet(requests, { namespace, serviceURL, token: serviceToken }, shape);
  const collection = `/apis/rolealerts.dev/v1alpha1/namespaces/${namespace}`;
  return {
    async remove() {
      await requests.send('DELETE', `${collection}/rolealertpolicies`);
      await requests.send('DELETE', `${collection}/rolealertconnections`);
    },
  };
}

/** The bundle's operator, as the image runs it. */
export async function startOperator(
  setup: Setup,
  name: string,
  options: { readonly apiServerPort?: number; readonly interval: string },
): Promise<Program> {
  const { controlPlane, directory, operatorFile, nodeFlags } = setup;
  const kubeconfig = join(directory, `${name}-kubeconfig`);
  const url = options.apiServerPort === undefined ? controlPlane.url : `https://127.0.0.1:${options.apiServerPort}`;
  await writeFile(kubeconfig, (await readFile(controlPlane.kubeconfigPath, 'utf8')).replaceAll(controlPlane.url, url));
  const flags = ['--metrics-bind-address=127.0.0.1:0', '--health-probe-bind-address=127.0.0.1:0', '--log-format=json'];
  const reach = ['--allow-http', '--allow-private-endpoints', `--interval=${options.interval}`];
  return startProgram({
    args: [...nodeFlags, operatorFile, 'controller', `--kubeconfig=${kubeconfig}`, ...flags, ...reach],
    logPath: join(directory, `${name}.log`),
  });
}
