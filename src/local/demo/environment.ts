// The parts of the demo: its own control plane, the alerts service in this process, the operator as a second process, the
// samples, and a watch on them. The parts start in this order and stop in the reverse order.
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { parse } from 'yaml';

import { systemClock } from '../../lib/clock.ts';
import { LocalError } from '../../lib/command-errors.ts';
import { messageOf } from '../../lib/errors.ts';
import { makeDirectory } from '../../lib/make-directory.ts';
import { createApiServerConnection } from '../../operator/kube/api-server-connection.ts';
import { connectionResource, policyResource } from '../../operator/kube/custom-resources.ts';
import { loadKubeconfig } from '../../operator/kube/kubeconfig.ts';
import { createKubeTransport, type KubeTransport } from '../../operator/kube/transport.ts';
import { apiGroup, connectionPlural, policyPlural } from '../../policy/resources.ts';
import type { Binaries } from '../binaries.ts';
import { type ControlPlane, startControlPlane } from '../control-plane.ts';
import { findServers } from '../find-binaries.ts';
import { type Machine, thisMachine } from '../machine.ts';
import { type Progress, renderTaken } from '../progress.ts';
import { createDemoCluster, type DemoCluster, type DemoObject } from './demo-cluster.ts';
import { type DemoHost, stoppable, quietOnceStopped, refuseIfStopped } from './demo-host.ts';
import { type Endings, createEndings } from './endings.ts';
import { demoManifests, ownerBinding } from './manifests.ts';
import { startDemoOperator, type DemoOperator } from './operator-process.ts';
import { startDemoService, type DemoService } from './service.ts';
import { startDemoWatch, type DemoWatch } from './watch.ts';

export interface DemoEnvironment {
  readonly controlPlane: ControlPlane;
  readonly service: DemoService;
  readonly operator: DemoOperator;
  readonly watch: DemoWatch;
  readonly cluster: DemoCluster;
  /** The programs of the control plane, for a search of a kubectl that fits. */
  readonly binaries: Binaries;
  /** The machine, whose downloads and builds abort when the demo is stopped. */
  readonly machine: Machine;
  /** Stops all parts. Idempotent. */
  stop(): Promise<void>;
}

const definitions = [policyPlural, connectionPlural].map((plural) =>
  fileURLToPath(new URL(`../../../crds/${apiGroup}_${plural}.yaml`, import.meta.url)),
);

/** Resolves when everything runs and the samples are applied. Stops the started parts when it fails or is stopped. */
export async function startEnvironment(host: DemoHost, progress: Progress): Promise<DemoEnvironment> {
  const endings = createEndings();
  try {
    return await buildEnvironment(host, progress, endings);
  } catch (error) {
    await endings.run();
    throw error;
  }
}

async function buildEnvironment(host: DemoHost, progress: Progress, endings: Endings): Promise<DemoEnvironment> {
  const machine = { ...stoppable(thisMachine(host.facts), host.stopping), skipsOptimization: true };
  const logs = await prepareLogs(host);
  const shown = (path: string) => relative(host.workingDirectory, path);
  const { controlPlane, binaries } = await startLocalControlPlane(machine, host, progress, endings);
  const transport = openTransport(controlPlane, endings);
  const cluster = createDemoCluster(transport, host);
  const watch = endings.keep(startDemoWatch(transport));
  const access = { logPath: logs.service, kubeconfigPath: controlPlane.kubeconfigPath };
  const service = endings.keep(await startDemoService(access));
  progress.print(`The alerts service listens on ${service.url}`);
  for (const path of definitions) await cluster.apply(parse(await readFile(path, 'utf8')) as DemoObject);
  for (const resource of [policyResource, connectionResource]) await cluster.waitUntilServed(resource);
  const operator = endings.keep(await startDemoOperator(machine, controlPlane.kubeconfigPath, logs.operator));
  progress.print(`The operator runs as process ${operator.pid}`);
  progress.print(`Their logs are ${shown(logs.service)} and ${shown(logs.operator)}`);
  await cluster.apply(ownerBinding('break-glass'));
  // The service knows the scanned scope only after a scan.
  await service.scan();
  for (const object of demoManifests(service, systemClock.now())) await cluster.apply(object);
  return {
    controlPlane,
    service,
    operator,
    watch,
    cluster,
    binaries,
    machine,
    stop: () => endings.run(),
  };
}

/** Creates the folder of local state, private to its owner and ignored by git. */
async function prepareLogs(host: DemoHost): Promise<{ readonly operator: string; readonly service: string }> {
  const directory = join(host.workingDirectory, '.rolealerts');
  try {
    await makeDirectory(directory, 0o700);
    await writeFile(join(directory, '.gitignore'), '*\n');
  } catch (cause) {
    throw new LocalError(
      `Cannot write the demo's logs to the folder ${directory}: ${messageOf(cause)}. Run the demo in a folder that you can write to.`,
      { cause },
    );
  }
  return { operator: join(directory, 'demo-operator.log'), service: join(directory, 'demo-service.log') };
}

async function startLocalControlPlane(
  machine: Machine,
  host: DemoHost,
  progress: Progress,
  endings: Endings,
): Promise<{ readonly controlPlane: ControlPlane; readonly binaries: Binaries }> {
  const binaries = await findServers(machine, quietOnceStopped(progress, host), { needsControllers: false });
  refuseIfStopped(host);
  progress.print('Starting the API server …');
  const startMs = systemClock.monotonic();
  const controlPlane = endings.keep(await startControlPlane({ machine, binaries }));
  const taken = renderTaken(systemClock.monotonic() - startMs);
  progress.print(`The API server is ready after ${taken}: ${controlPlane.url}`);
  return { controlPlane, binaries };
}

function openTransport({ kubeconfigPath }: ControlPlane, endings: Endings): KubeTransport {
  const connection = createApiServerConnection({
    load: () => loadKubeconfig({ path: kubeconfigPath, environment: {} }),
    clock: systemClock,
    userAgent: 'rolealerts-demo',
  });
  endings.keep({ stop: () => connection.close() });
  return createKubeTransport({ connection, clock: systemClock });
}
