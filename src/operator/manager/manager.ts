// The manager: builds the caches, leader election, metrics, probes and the controller, and starts and stops them
// together. The command and the tests share it, so that the tests run the production code; the differences are
// parameters.
import type { Dispatcher } from 'undici';

import { userAgentOf } from '../../lib/build-facts.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Environment, Values } from '../../lib/options/option.ts';
import type { Proxies } from '../../lib/proxy.ts';
import type { Random } from '../../lib/random.ts';
import { defaultClusterNamespace } from '../../policy/resources.ts';
import { ControllerError } from '../controller-error.ts';
import { Controller } from '../controller.ts';
import { type ApiServerConnection, createApiServerConnection } from '../kube/api-server-connection.ts';
import { createCredentialReader } from '../kube/credentials.ts';
import { createEventRecorder } from '../kube/event-recorder.ts';
import { kubeconfigLoader, readPodNamespace } from '../kube/kubeconfig.ts';
import { createServiceAccounts } from '../kube/service-accounts.ts';
import { createKubeTransport } from '../kube/transport.ts';
import type { PlanRecorder } from '../ports.ts';
import type { FileRecorder } from '../recording/file-recorder.ts';
import { createAlertClientFactory } from './alert-client-factory.ts';
import { createCluster } from './cluster.ts';
import type { controllerOptions } from './controller-options.ts';
import { createLeadership, type Leadership, leaseOf, noLeaderElection } from './leadership.ts';
import { type BuildLabels, createMetrics, type Metrics } from './metrics.ts';
import { startProbes, type StartServer } from './probes.ts';

export interface RunningManager {
  /** Base URLs of the servers; undefined for a server that is disabled. */
  readonly probesURL: string | undefined;
  readonly metricsURL: string | undefined;
  /**
   * Resolves when the leader lease was lost and running work was aborted: nothing is written any more, and the caller
   * should call `stop`. Never resolves without leader election, and never rejects.
   */
  readonly lost: Promise<void>;
  /**
   * Becomes not ready immediately, finishes running work within 20 seconds, releases the lease, and closes everything.
   */
  stop(): Promise<void>;
}

/** A watch without contact for this time counts as dead. */
const silentWatchMs = 300_000;
const eventGraceMs = 2000;
const mebibyte = 1024 * 1024;

/**
 * Resolves when the probes respond; the caches sync later. Rejects with a `CodedError` for a bad kubeconfig or an
 * address in use.
 */
export async function startManager(values: ManagerValues, options: ManagerOptions): Promise<RunningManager> {
  const { clock, random, log, network, build, droppedLogLines, reportingInstance } = options;
  const lost = Promise.withResolvers<void>();
  let isStopping = false;
  const ownsProcess = network === undefined;
  const metrics: Metrics = createMetrics(() => controller, { clock, build, ownsProcess, droppedLogLines });
  const recorder = await loadRecorder(values, options, metrics);
  const connect = connector(values, options);
  const connection = connect();
  /** A process that was paused for longer than its Lease could otherwise write over what the new leader recorded. */
  const beforeWrite = () => {
    if (!leadership.isLeading()) throw new ControllerError('not-leading', 'This process does not lead now.');
  };
  const transport = createKubeTransport({ connection, clock, observer: metrics.transport, beforeWrite });
  const events = createEventRecorder({
    transport,
    clock,
    random,
    log,
    reportingInstance,
    onDropped: metrics.onEventDropped,
  });
  const clusterNamespace = values.clusterResourceNamespace ?? readPodNamespace() ?? defaultClusterNamespace;
  const cluster = createCluster({
    ...options,
    transport,
    watchNamespaces: values.watchNamespaces,
    clusterNamespace,
    connectionSelector: values.connectionSelector,
    onPolicy: (event) => controller.policyChanged(event),
    onConnection: (event) => controller.connectionChanged(event),
    onNamespace: (event) => controller.namespaceChanged(event),
    onFailure: metrics.onWatchFailure,
    onSynced() {
      log.info({}, 'caches synced');
      if (!values.leaderElect && !isStopping) controller.start();
    },
  });
  const clientFactory = createAlertClientFactory({
    credentials: createCredentialReader(transport),
    serviceAccounts: createServiceAccounts({ transport, connection, apiAudiences: values.apiAudiences }),
    clusterNamespace,
    isBeingDeleted: (key) => controller.isBeingDeleted(key),
    allowHttp: values.allowHttp,
    allowPrivateEndpoints: values.allowPrivateEndpoints,
    allowedHosts: values.allowedHosts,
    proxies: options.proxies,
    clock,
    random,
    log,
    observe: metrics.onServiceRequest,
    openDispatcher: network && ((caBundle) => network.openService(caBundle)),
  });
  const leadership: Leadership = !values.leaderElect
    ? noLeaderElection
    : createLeadership({
        connect,
        observer: metrics.transport,
        ...leaseOf(values),
        instance: reportingInstance,
        clock,
        random,
        log,
        onLeading: metrics.onLeading,
        onAcquired: () => void startLeading(),
        onLost: () => void stopLeading(),
      });
  const controller: Controller = new Controller({
    cluster,
    clientFactory,
    events,
    observer: metrics.observer,
    recorder: options.recorder ?? recorder,
    clock,
    random,
    log,
    isReadOnly: values.readOnly,
    defaultIntervalMs: values.interval,
    mayWrite: () => leadership.mayWrite(),
  });
  /** Lists again first: the previous leader may have written until a moment ago, and the caches may not show it yet. */
  const startLeading = async () => {
    const isFresh = await cluster.relist();
    if (isFresh && !isStopping) controller.start();
  };
  const stopLeading = async () => {
    isStopping = true;
    await controller.stop(0);
    lost.resolve();
  };
  const servers = await startProbes(
    {
      probes: values.healthProbeBindAddress,
      metrics: values.metricsBindAddress,
      startServer: network?.startServer,
    },
    {
      isLive: () => clock.monotonic() - cluster.lastContactMs < silentWatchMs,
      isReady: () => cluster.hasSynced && !isStopping,
    },
    () => metrics.scrape(),
    clock,
  );
  const { probesURL, metricsURL } = servers;
  log.info({ server: connection.origin, readOnly: values.readOnly, probesURL, metricsURL }, 'started');
  cluster.start();
  leadership.start();
  return {
    probesURL,
    metricsURL,
    lost: lost.promise,
    async stop() {
      isStopping = true;
      log.info({}, 'stopping');
      await controller.stop();
      await events.stop(eventGraceMs);
      await leadership.stop();
      await recorder?.stop();
      await cluster.stop();
      await servers.stop();
      await connection.close();
      log.info({}, 'stopped');
    },
  };
}

function connector(
  { kubeconfig }: ManagerValues,
  { environment, clock, network }: ManagerOptions,
): () => ApiServerConnection {
  const load = kubeconfigLoader({ path: kubeconfig, environment });
  return () =>
    network?.connectCluster() ?? createApiServerConnection({ load, clock, userAgent: userAgentOf('rolealerts') });
}

/** The recorder of `--record`. Its code is loaded with that option only, because most operators record nothing. */
async function loadRecorder(
  { record, recordFileSize, recordFiles: files }: ManagerValues,
  { build, clock, log }: ManagerOptions,
  { onPlanRecorded: observe }: Metrics,
): Promise<FileRecorder | undefined> {
  if (record === undefined) return undefined;
  const { FileRecorder } = await import('../recording/file-recorder.ts');
  const fileBytes = recordFileSize * mebibyte;
  return new FileRecorder({ program: build.version, clock, log, observe, directory: record, fileBytes, files });
}

export type ManagerValues = Values<typeof controllerOptions>;

export interface ManagerOptions {
  readonly build: BuildLabels;
  /** Used to find a kubeconfig when the values name none. */
  readonly environment: Environment;
  /** For services and token endpoints, not for the API server. Absent: none. */
  readonly proxies?: Proxies | undefined;
  /** Identifies this replica: the name of its Pod. */
  readonly reportingInstance: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Log lines that no reader took, since the start. */
  readonly droppedLogLines?: () => number;
  /** Receives the plans in the place of the files of `--record`. */
  readonly recorder?: PlanRecorder;
  /** Replaces the sockets in a simulation. */
  readonly network?: Network;
}

/** The network of a simulation. The caller that opens a connection closes it. */
interface Network {
  connectCluster(): ApiServerConnection;
  /** `caBundle`: the authorities that the connection trusts; undefined for the well-known ones. */
  openService(caBundle: string | undefined): Dispatcher;
  /** For the probes and the metrics. */
  readonly startServer?: StartServer;
}
