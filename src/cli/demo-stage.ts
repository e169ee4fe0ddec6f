// Everything the demo runs: a control plane of its own, the alerts service and the operator in this process, so that nothing
// is left when it ends, however it ends; and a watch over policies and events for the screen.
import { appendFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createConnection } from '../kube/connection.ts';
import { policyResource } from '../kube/custom-resources.ts';
import { loadKubeconfig } from '../kube/kubeconfig.ts';
import { createReflector, type Reflector } from '../kube/reflector.ts';
import type { KubeObject } from '../kube/resource.ts';
import { createTransport, type KubeTransport } from '../kube/transport.ts';
import { systemClock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import { createLogger, type Logger } from '../lib/log.ts';
import { systemRandom } from '../lib/random.ts';
import { systemSecrets } from '../lib/secret-source.ts';
import { type ControlPlane, startControlPlane } from '../local/control-plane.ts';
import { demoClientID, demoManifests, demoNamespace, demoSeed } from '../local/demo/samples.ts';
import type { TimelineEntry } from '../local/demo/table.ts';
import { findBinaries } from '../local/find-binaries.ts';
import { type Machine, thisMachine } from '../local/machine.ts';
import { createProgress, renderTaken } from '../local/progress.ts';
import { runCommand } from '../local/run-command.ts';
import { apiGroup, connectionPlural, policyPlural, type RoleAlertPolicy } from '../policy/resources.ts';
import { type RunningAlertsService, startAlertsService } from '../service/service.ts';
import type { Host } from './host.ts';
import { startController } from './wiring/assemble.ts';

export interface Stage {
  readonly plane: ControlPlane;
  readonly service: RunningAlertsService;
  /** A bearer token of the service for whoever plays the attacker. */
  readonly token: string;
  /** Where the operator and the service log. */
  readonly logFile: string;
  policy(name: string): RoleAlertPolicy | undefined;
  /** Sorted by time, the newest last. */
  events(): readonly TimelineEntry[];
  /** Standard output of kubectl with the demo's kubeconfig. */
  kubectl(...args: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

const crds = fileURLToPath(new URL('../../crds', import.meta.url));
const definitions = [policyPlural, connectionPlural].map((plural) => `crd/${plural}.${apiGroup}`);
const nowhere = { probes: undefined, metrics: undefined };
const kubectlDeadlineMs = 60_000;

/** Resolves when everything runs and the samples are applied. Ends what it started when it fails. */
export async function startStage(host: Host): Promise<Stage> {
  const machine = thisMachine(host.facts);
  const print = (line: string) => host.out.write(`${line}\n`);
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const end of stops.reverse()) await end();
    stops.length = 0;
  };
  try {
    const state = join(host.workingDirectory, '.rolealerts');
    await prepareState(state);
    const logFile = join(state, 'demo.log');
    const plane = await startPlane(machine, host, state, print);
    stops.push(() => plane.stop());
    refuseIfStopped(host);
    const kubectl = kubectlOf(machine, plane);
    const log = createLogger({
      level: 'info',
      format: 'text',
      sink: { write: (line) => appendFileSync(logFile, line) },
    });
    const clientSecret = systemSecrets();
    const token = systemSecrets();
    const service = await startAlertsService({
      listen: { host: '127.0.0.1', port: 0 },
      seed: demoSeed(),
      staticToken: token,
      clients: [{ id: demoClientID, secret: clientSecret }],
      clock: systemClock,
      newSecret: systemSecrets,
      log: log.child({ part: 'service' }),
      accessLog: log.child({ part: 'service' }),
    });
    stops.push(() => service.stop());
    print(`the alerts service listens on ${service.url}`);
    await kubectl(['apply', '--server-side', '-k', crds]);
    await kubectl(['wait', '--for=condition=Established', '--timeout=30s', ...definitions]);
    const operator = await startOperator(plane, host, log);
    stops.push(() => operator.stop());
    const manifests = demoManifests({ ...service, clientSecret: clientSecret.reveal() });
    await kubectl(['apply', '-f', '-'], JSON.stringify(manifests));
    print(`the operator runs; it and the service log to ${logFile}`);
    const watch = startWatch(plane, host, log);
    stops.push(() => watch.stop());
    refuseIfStopped(host);
    return {
      plane,
      service,
      token: token.reveal(),
      logFile,
      policy: (name) => watch.policies.get(`${demoNamespace}/${name}`),
      events: () => timelineOf(watch.events.list()),
      kubectl: (...args) => kubectl(args),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The folder holds a credential, and may lie in any repository. */
async function prepareState(state: string): Promise<void> {
  await mkdir(state, { recursive: true, mode: 0o700 });
  await writeFile(join(state, '.gitignore'), '*\n');
  await writeFile(join(state, 'demo.log'), '', { mode: 0o600 });
}

function refuseIfStopped(host: Host): void {
  if (host.stopping.aborted) throw new OperatorError('stopped', 'The demo was ended before it was ready.');
}

async function startPlane(
  machine: Machine,
  host: Host,
  state: string,
  print: (line: string) => void,
): Promise<ControlPlane> {
  const { isTerminal } = host.out;
  const progress = createProgress({ clock: machine.clock, isTerminal, write: (text) => host.out.write(text) });
  const binaries = await findBinaries(machine, progress);
  const startMs = machine.clock.monotonic();
  print('starting etcd, kube-apiserver and kube-controller-manager …');
  const plane = await startControlPlane({ machine, binaries, kubeconfigPath: join(state, 'demo-kubeconfig') });
  print(`a real API server is ready after ${renderTaken(machine.clock.monotonic() - startMs)}: ${plane.url}`);
  return plane;
}

function kubectlOf(machine: Machine, plane: ControlPlane) {
  return async (args: readonly string[], input?: string): Promise<string> => {
    const { exitCode, stdout, stderr } = await runCommand(
      plane.kubectlPath,
      ['--kubeconfig', plane.kubeconfigPath, ...args],
      { environment: machine.environment, deadlineMs: kubectlDeadlineMs, ...(input !== undefined && { input }) },
    );
    if (exitCode !== 0) throw new OperatorError('local', `kubectl ${args[0] ?? ''} failed: ${stderr.trim()}`);
    return stdout;
  };
}

function startOperator(plane: ControlPlane, host: Host, log: Logger) {
  const values = {
    kubeconfig: plane.kubeconfigPath,
    watchNamespaces: [demoNamespace],
    readOnly: false,
    interval: 5000,
    allowHttp: true,
    allowPrivateEndpoints: true,
    healthProbeBindAddress: nowhere.probes,
    metricsBindAddress: nowhere.metrics,
    logLevel: 'info' as const,
    logFormat: 'text' as const,
  };
  const parts = { environment: host.env, reportingInstance: 'demo', clock: systemClock, random: systemRandom };
  return startController(values, { ...parts, log: log.child({ part: 'operator' }) });
}

interface DemoEvent extends KubeObject {
  readonly eventTime?: string | null;
  readonly reason?: string;
  readonly note?: string;
  readonly regarding?: { readonly name?: string };
}

interface Watch {
  readonly policies: Reflector<RoleAlertPolicy>;
  readonly events: Reflector<DemoEvent>;
  stop(): Promise<void>;
}

function startWatch(plane: ControlPlane, host: Host, log: Logger): Watch {
  const connection = createConnection({
    load: () => loadKubeconfig({ path: plane.kubeconfigPath, environment: host.env }),
    clock: systemClock,
    userAgent: 'rolealerts-demo',
  });
  const transport = createTransport({ connection, clock: systemClock });
  const policies = watchIn<RoleAlertPolicy>(transport, policyResource, log);
  const events = watchIn<DemoEvent>(transport, { group: 'events.k8s.io', version: 'v1', plural: 'events' }, log);
  policies.start();
  events.start();
  return {
    policies,
    events,
    async stop() {
      await Promise.all([policies.stop(), events.stop()]);
      await connection.close();
    },
  };
}

function watchIn<T extends KubeObject>(transport: KubeTransport, resource: typeof policyResource, log: Logger) {
  const handlers = { onEvent: () => undefined, onSynced: () => undefined };
  const watched = { resource, namespaces: [demoNamespace], transport, handlers };
  return createReflector<T>({
    ...watched,
    clock: systemClock,
    random: systemRandom,
    log: log.child({ part: 'screen' }),
  });
}

function timelineOf(events: Iterable<DemoEvent>): readonly TimelineEntry[] {
  return [...events]
    .map(({ eventTime, reason, note, regarding }) => ({
      at: eventTime ?? '',
      policy: regarding?.name ?? '',
      reason: reason ?? '',
      note: note ?? '',
    }))
    .sort((a, b) => (a.at < b.at ? -1 : 1));
}
