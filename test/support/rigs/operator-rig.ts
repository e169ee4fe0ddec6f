// The whole operator for one test, on a real API server and the real service: assembled as the command does it, in a
// namespace of its own, with all of its output recorded. After the test that output is searched for names and credentials.
import { onTestFinished as onThisTestFinished, type TestContext } from 'vitest';

import { readBuildFacts } from '../../../src/lib/build-facts.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLogger, silentLogger } from '../../../src/lib/log.ts';
import { systemRandom } from '../../../src/lib/random.ts';
import { SecretText } from '../../../src/lib/secret-text.ts';
import { type ManagerValues, type RunningManager, startManager } from '../../../src/operator/manager/manager.ts';
import { type RunningAlertsService, startAlertsService } from '../../../src/service/server.ts';
import type { AlertsServiceOptions } from '../../../src/service/service-options.ts';
import { canariesIn, canaryClientSecret, canaryIssuedToken, canaryToken, serviceWords } from '../checks/canaries.ts';
import { errorLines } from '../checks/log-lines.ts';
import { type StatusRecorder, startStatusRecorder } from '../checks/status-recorder.ts';
import { eventually } from '../servers/control-plane.ts';
import { type ServiceProxy, startServiceProxy } from '../servers/service-proxy.ts';
import type { TestControlPlane } from '../servers/test-control-plane.ts';
import { openKubeRequests } from './kube-requests.ts';
import { createResources, type Resources } from './operator-resources.ts';
import { managerValues } from './quiet-manager.ts';

export interface RigOptions {
  /** Seeded alerts by scope. */
  readonly scopes?: Readonly<Record<string, readonly object[]>>;
  /** Also as a function of the namespace of the test. */
  readonly service?: Partial<AlertsServiceOptions> | ((namespace: string) => Partial<AlertsServiceOptions>);
  readonly controller?: Partial<ManagerValues>;
  /** False leaves the operator to be started by the test. */
  readonly isStarted?: boolean;
  /** From the test's context; a test that runs beside others has to give it. */
  readonly onTestFinished?: TestContext['onTestFinished'];
}

export interface OperatorRig extends Resources {
  readonly namespace: string;
  readonly proxy: ServiceProxy;
  readonly recorder: StatusRecorder;
  /** Every log line so far, at debug level. */
  readonly lines: readonly string[];
  readonly service: RunningAlertsService;
  readonly manager: RunningManager;
  startOperator(change?: Partial<ManagerValues>): Promise<void>;
  stopOperator(): Promise<void>;
  stopService(): Promise<void>;
  /** On the port it had. Its alerts are still there only when it has a data file. */
  startService(): Promise<void>;
  /** The live flag as the service itself has it. */
  flag(scope: string, alert: string): Promise<boolean | undefined>;
  /** Resolves when the service has the flag so. */
  flagBecomes(scope: string, alert: string, isActive: boolean): Promise<void>;
  /** As another client does, bypassing the operator. */
  turn(scope: string, alert: string, isActive: boolean): Promise<void>;
  metricsText(): Promise<string>;
  /** Sum over the series whose name and labels begin so; 0 when there is none. */
  metric(start: string): Promise<number>;
}

/** Stops when the test ends, and fails the test when it finds a canary or an error in the output. */
export async function startRig(controlPlane: TestControlPlane, options: RigOptions = {}): Promise<OperatorRig> {
  const requests = openKubeRequests(controlPlane);
  const namespace = await controlPlane.newNamespace();
  const lines: string[] = [];
  let service = await startAlertsService(serviceOptions(options, namespace));
  const port = Number(new URL(service.url).port);
  const proxy = await startServiceProxy(() => service.url);
  const recorder = await startStatusRecorder(controlPlane, namespace);
  const resources = createResources({ requests, namespace, recorder, serviceURL: proxy.url });
  await resources.createSecret('credentials', { token: canaryToken, clientSecret: canaryClientSecret });
  const metricsTexts: string[] = [];
  let manager: RunningManager | undefined;

  const rig: OperatorRig = {
    ...resources,
    namespace,
    proxy,
    recorder,
    lines,
    get service() {
      return service;
    },
    get manager() {
      if (!manager) throw new Error('the operator is not running');
      return manager;
    },
    async startOperator(change = {}) {
      manager = await startManager(
        { ...defaultValues(controlPlane.kubeconfigPath, namespace), ...options.controller, ...change },
        {
          build: { ...readBuildFacts(), node: process.version },
          environment: {},
          reportingInstance: 'rolealerts-test',
          clock: systemClock,
          random: systemRandom,
          log: createLogger({ level: 'debug', format: 'json', sink: { write: (line) => void lines.push(line) } }),
        },
      );
    },
    async stopOperator() {
      if (manager) metricsTexts.push(await rig.metricsText());
      const stopped = manager?.stop();
      manager = undefined;
      await stopped;
    },
    stopService: () => service.stop(),
    async startService() {
      service = await startAlertsService({
        ...serviceOptions(options, namespace),
        listen: { host: '127.0.0.1', port },
      });
    },
    async flag(scope, alert) {
      const found = (await service.alerts.readAlert(scope, alert)) as { properties: { isActive: boolean } } | undefined;
      return found?.properties.isActive;
    },
    async flagBecomes(scope, alert, isActive) {
      const what = `${alert} of ${scope} ${isActive ? 'active' : 'inactive'}`;
      await eventually(what, async () => ((await rig.flag(scope, alert)) === isActive ? true : undefined));
    },
    async turn(scope, alert, isActive) {
      const who = { by: 'canary.person@people.example', byType: 'User' } as const;
      if (!(await service.alerts.setActive(scope, alert, isActive, who))) throw new Error(`there is no alert ${alert}`);
    },
    async metricsText() {
      const answer = await fetch(`${rig.manager.metricsURL}/metrics`);
      return answer.text();
    },
    async metric(start) {
      const series = (await rig.metricsText()).split('\n').filter((line) => line.startsWith(start));
      return series.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
    },
  };

  const onTestFinished = options.onTestFinished ?? onThisTestFinished;
  onTestFinished(async () => {
    await rig.stopOperator();
    const events = await resources.events();
    await recorder.stop();
    await resources.deleteConnections();
    await proxy.stop();
    await service.stop();
    await requests.stop();
    const everything = { lines, events, versions: recorder.versions, metricsTexts };
    for (const [where, texts] of Object.entries(everything)) {
      const found = canariesIn(JSON.stringify(texts));
      if (found.length > 0) throw new Error(`canaries in ${where}: ${found.join(', ')}`);
      const isRepeated = where !== 'lines' && JSON.stringify(texts).includes(serviceWords);
      if (isRepeated) throw new Error(`an error message of the service in ${where}`);
    }
    const errors = errorLines(lines);
    if (errors.length > 0) throw new Error(`the operator logged an error: ${errors.join('')}`);
  });
  if (options.isStarted !== false) await rig.startOperator();
  return rig;
}

function serviceOptions({ scopes = {}, service = {} }: RigOptions, namespace: string): AlertsServiceOptions {
  const seed = Object.fromEntries(Object.entries(scopes).map(([scope, value]) => [scope, { value }]));
  let issued = 0;
  return {
    listen: { host: '127.0.0.1', port: 0 },
    staticToken: new SecretText(canaryToken),
    clients: [{ id: 'operator', secret: new SecretText(canaryClientSecret) }],
    clock: systemClock,
    newSecret: () => new SecretText(`${canaryIssuedToken}-${(issued += 1)}`),
    log: silentLogger,
    seed: { scopes: seed },
    ...(typeof service === 'function' ? service(namespace) : service),
  };
}

function defaultValues(kubeconfig: string, namespace: string): ManagerValues {
  const anyPort = { host: '127.0.0.1', port: 0 };
  const ports = { metricsBindAddress: anyPort, healthProbeBindAddress: anyPort };
  return { ...managerValues(kubeconfig, namespace), ...ports, logLevel: 'debug' };
}
