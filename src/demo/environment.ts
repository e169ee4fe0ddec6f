// The parts of the demo: its own control plane, the alerts service in this process, the operator as a second process, the
// samples, and a watch on them. The parts start in this order and stop in the reverse order.
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { systemClock } from '../lib/clock.ts';
import { LocalError } from '../lib/command-errors.ts';
import { type ControlPlane, startControlPlane } from '../local/control-plane.ts';
import { findBinaries } from '../local/find-binaries.ts';
import { type Machine, thisMachine } from '../local/machine.ts';
import { type Progress, renderTaken } from '../local/progress.ts';
import { apiGroup, connectionPlural, policyPlural } from '../policy/resources.ts';
import { type DemoHost, stoppable, quietOnceStopped, refuseIfStopped } from './demo-host.ts';
import { type Endings, createEndings } from './endings.ts';
import { type Kubectl, kubectlOf } from './kubectl.ts';
import { demoManifests, demoNamespace, ownerBinding } from './manifests.ts';
import { startDemoOperator, type DemoOperator } from './operator-process.ts';
import { startDemoService, type DemoService } from './service.ts';
import { startDemoWatch, type DemoWatch } from './watch.ts';

export interface DemoEnvironment {
  readonly controlPlane: ControlPlane;
  readonly service: DemoService;
  readonly operator: DemoOperator;
  readonly watch: DemoWatch;
  /** Runs kubectl in the demo's namespace. */
  kubectl: Kubectl;
  /** Stops all parts. Idempotent. */
  stop(): Promise<void>;
}

const crds = fileURLToPath(new URL('../../crds', import.meta.url));
const definitions = [policyPlural, connectionPlural].map((plural) => `crd/${plural}.${apiGroup}`);

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
  const machine = stoppable(thisMachine(host.facts), host.stopping);
  const logs = await prepareLogs(host);
  const shown = (path: string) => relative(host.workingDirectory, path);
  const controlPlane = await startLocalControlPlane(machine, host, progress, endings);
  const watch = endings.keep(startDemoWatch(controlPlane.kubeconfigPath));
  const access = { logPath: logs.service, kubeconfigPath: controlPlane.kubeconfigPath };
  const service = endings.keep(await startDemoService(access, (entry) => watch.note(entry)));
  progress.print(`The alerts service listens on ${service.url}, log: ${shown(logs.service)}`);
  const kubectl = kubectlOf(machine, controlPlane, host);
  await kubectl(['apply', '--server-side', '--kustomize', crds]);
  await kubectl(['wait', '--for=condition=Established', '--timeout=30s', ...definitions]);
  const operator = endings.keep(await startDemoOperator(machine, controlPlane.kubeconfigPath, logs.operator));
  progress.print(`The operator runs as process ${operator.pid}, log: ${shown(logs.operator)}`);
  await kubectl(['apply', '--filename=-'], JSON.stringify(ownerBinding('break-glass')));
  // The service knows the scanned scope only after a scan.
  await service.scan();
  await kubectl(['apply', '--filename=-'], JSON.stringify(demoManifests(service, systemClock.now())));
  return {
    controlPlane,
    service,
    operator,
    watch,
    kubectl: (args, input) => kubectl(['--namespace', demoNamespace, ...args], input),
    stop: () => endings.run(),
  };
}

/** Creates the folder of local state, private to its owner and ignored by git. */
async function prepareLogs(host: DemoHost): Promise<{ readonly operator: string; readonly service: string }> {
  const directory = join(host.workingDirectory, '.rolealerts');
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(join(directory, '.gitignore'), '*\n');
  } catch (cause) {
    throw new LocalError(`Cannot write to the folder ${directory}`, { cause });
  }
  return { operator: join(directory, 'demo-operator.log'), service: join(directory, 'demo-service.log') };
}

async function startLocalControlPlane(
  machine: Machine,
  host: DemoHost,
  progress: Progress,
  endings: Endings,
): Promise<ControlPlane> {
  const binaries = await findBinaries(machine, quietOnceStopped(progress, host));
  refuseIfStopped(host);
  progress.print('Starting the API server …');
  const startMs = systemClock.monotonic();
  const controlPlane = endings.keep(await startControlPlane({ machine, binaries }));
  const taken = renderTaken(systemClock.monotonic() - startMs);
  progress.print(`The API server is ready after ${taken}: ${controlPlane.url}`);
  return controlPlane;
}
