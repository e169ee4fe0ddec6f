// The parts of the demo: its own control plane, the alerts service in this process, the operator as a second process, the
// samples, and a watch on them. The parts start in this order and stop in the reverse order.
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { parse } from 'yaml';

import { systemClock } from '../../lib/clock.ts';
import type { Output } from '../../lib/output.ts';
import { createApiServerConnection } from '../../operator/kube/api-server-connection.ts';
import { connectionResource, policyResource } from '../../operator/kube/custom-resources.ts';
import { loadKubeconfig } from '../../operator/kube/kubeconfig.ts';
import { createKubeTransport } from '../../operator/kube/transport.ts';
import { apiGroup, connectionPlural, policyPlural } from '../../policy/resources.ts';
import { startControlPlane } from '../control-plane.ts';
import { findServers } from '../find-binaries.ts';
import { type Print, renderTaken } from '../long-steps.ts';
import { type ProcessFacts, thisMachine } from '../machine.ts';
import { prepareStateDirectory } from '../state-directory.ts';
import { createDemoCluster, refuseIfStopped, startDemoWatch, type DemoWatch } from './demo-cluster.ts';
import { demoManifests, type DemoObject } from './manifests.ts';
import { startDemoOperator, type DemoOperator } from './operator-process.ts';
import { startDemoService, type DemoService } from './service.ts';

/** The demo's view of its process. */
export interface DemoHost {
  readonly facts: ProcessFacts;
  readonly workingDirectory: string;
  /** The shell command that runs this program in another terminal. */
  readonly program: string;
  readonly out: Output;
  /** Aborts when the user stops the demo. */
  readonly stopping: AbortSignal;
}

export interface DemoEnvironment {
  readonly kubeconfigPath: string;
  readonly service: DemoService;
  readonly operator: DemoOperator;
  readonly watch: DemoWatch;
  /** A path, or its name where the cache folder has none. */
  readonly kubectl: string;
  /** Stops all parts, also when one fails. Idempotent. */
  stop(): Promise<void>;
}

const definitions = [policyPlural, connectionPlural].map((plural) =>
  fileURLToPath(new URL(`../../../crds/${apiGroup}_${plural}.yaml`, import.meta.url)),
);

/** Resolves when everything runs and the samples are applied. Stops the started parts when it fails or is stopped. */
export async function startEnvironment(host: DemoHost, print: Print): Promise<DemoEnvironment> {
  const parts = new AsyncDisposableStack();
  try {
    return await startParts(host, print, parts);
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}

async function startParts(
  { facts, workingDirectory, stopping }: DemoHost,
  print: Print,
  parts: AsyncDisposableStack,
): Promise<DemoEnvironment> {
  const keep = <Part extends { stop(): Promise<unknown> }>(part: Part) =>
    parts.adopt(part, async (kept) => void (await kept.stop()));
  const machine = { ...thisMachine(facts), stopping };
  const stateDirectory = join(workingDirectory, '.rolealerts');
  await prepareStateDirectory({ stateDirectory }, 'Run the demo in a folder that you can write to.');
  const logs = ['service', 'operator'].map((name) => join(stateDirectory, `demo-${name}.log`));
  const [serviceLog = '', operatorLog = ''] = logs;

  // Nothing once the demo is stopped: the failures of an aborted download or build are of no interest.
  const binaries = await findServers(machine, (line) => (stopping.aborted ? undefined : print(line)));
  refuseIfStopped(stopping);
  print('Starting the API server …');
  const startMs = systemClock.monotonic();
  const { url, kubeconfigPath } = keep(await startControlPlane({ machine, binaries }));
  print(`The API server is ready after ${renderTaken(systemClock.monotonic() - startMs)}: ${url}`);

  const connection = createApiServerConnection({
    load: () => loadKubeconfig({ path: kubeconfigPath, environment: {} }),
    clock: systemClock,
    userAgent: 'rolealerts-demo',
  });
  parts.defer(() => connection.close());
  const transport = createKubeTransport({ connection, clock: systemClock });
  const cluster = createDemoCluster(transport, stopping);
  const watch = keep(startDemoWatch(transport));
  const service = keep(await startDemoService(serviceLog));
  print(`The alerts service listens on ${service.url}`);
  for (const path of definitions) await cluster.apply(parse(await readFile(path, 'utf8')) as DemoObject);
  for (const resource of [policyResource, connectionResource]) await cluster.waitUntilServed(resource);
  const operator = keep(await startDemoOperator(machine, kubeconfigPath, operatorLog));
  print(`The operator runs as process ${operator.pid}`);
  print(`Their logs are ${logs.map((path) => relative(workingDirectory, path)).join(' and ')}`);
  for (const object of demoManifests(service, systemClock.now())) await cluster.apply(object);
  const stop = () => parts.disposeAsync();
  const kubectl = binaries.kubectl ?? 'kubectl';
  return { kubeconfigPath, service, operator, watch, kubectl, stop };
}
