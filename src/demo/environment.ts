// The parts of the demo: its own control plane, the alerts service in this process, the operator as a second process, the
// samples, and a watch on them. The parts start in this order and stop in the reverse order.
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { sleep, systemClock } from '../lib/clock.ts';
import { LocalError } from '../lib/command-errors.ts';
import { StoppedError } from '../lib/errors.ts';
import type { Output } from '../lib/output.ts';
import { type ControlPlane, startControlPlane } from '../local/control-plane.ts';
import { findBinaries } from '../local/find-binaries.ts';
import { type Machine, thisMachine, type ProcessFacts } from '../local/machine.ts';
import { type Progress, renderTaken } from '../local/progress.ts';
import { runCommand } from '../local/run-command.ts';
import { apiGroup, connectionPlural, policyPlural } from '../policy/resources.ts';
import { demoManifests, demoNamespace, ownerBinding } from './manifests.ts';
import { startDemoOperator, type DemoOperator } from './operator-process.ts';
import { startDemoService, type DemoService } from './service.ts';
import { startDemoWatch, type DemoWatch } from './watch.ts';

/** The demo's view of its process. */
export interface DemoHost {
  readonly facts: ProcessFacts;
  readonly workingDirectory: string;
  readonly out: Output;
  /** Aborts when the user stops the demo. */
  readonly stopping: AbortSignal;
}

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

/** Runs kubectl against the demo's API server and resolves with its standard output. */
type Kubectl = (args: readonly string[], input?: string) => Promise<string>;

const crds = fileURLToPath(new URL('../../crds', import.meta.url));
const definitions = [policyPlural, connectionPlural].map((plural) => `crd/${plural}.${apiGroup}`);
const kubectlDeadlineMs = 60_000;
/** Ctrl-C also reaches kubectl, which may exit before this process handles the signal. */
const signalDelayMs = 100;

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

/** The parts to stop, in reverse order. */
interface Endings {
  keep<Part extends { stop(): Promise<unknown> }>(part: Part): Part;
  /** Stops every part even when one fails; then throws the first failure. */
  run(): Promise<void>;
}

function createEndings(): Endings {
  const parts: { stop(): Promise<unknown> }[] = [];
  return {
    keep(part) {
      parts.push(part);
      return part;
    },
    async run() {
      const failures: unknown[] = [];
      for (let part = parts.pop(); part; part = parts.pop()) {
        await part.stop().catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
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

/** The same machine, whose downloads and builds abort when the demo is stopped. */
function stoppable(machine: Machine, stopping: AbortSignal): Machine {
  const either = (signal: AbortSignal | null | undefined) => (signal ? AbortSignal.any([signal, stopping]) : stopping);
  return {
    ...machine,
    stopping,
    fetch: (target, options) => machine.fetch(target, { ...options, signal: either(options?.signal) }),
  };
}

/** Prints nothing once the demo is stopped: the failures of an aborted download or build are of no interest. */
function quietOnceStopped(progress: Progress, { stopping }: DemoHost): Progress {
  return {
    print: (line) => (stopping.aborted ? undefined : progress.print(line)),
    advance: (...facts) => (stopping.aborted ? undefined : progress.advance(...facts)),
  };
}

function refuseIfStopped(host: DemoHost): void {
  if (host.stopping.aborted) throw new StoppedError('The demo was stopped.');
}

function kubectlOf(machine: Machine, controlPlane: ControlPlane, host: DemoHost): Kubectl {
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
