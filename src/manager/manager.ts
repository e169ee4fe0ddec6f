// The manager: builds the caches, leader election, metrics, probes and the controller, and starts and stops them
// together. The command and the tests share it, so that the tests run the production code; the differences are
// parameters.
import type { Dispatcher } from 'undici';

import type { controllerOptions } from '../config/controller-options.ts';
import type { Values } from '../config/option.ts';
import { Controller } from '../controller/controller.ts';
import { type ApiServerConnection, createApiServerConnection } from '../kube/api-server-connection.ts';
import { createCredentialReader } from '../kube/credentials.ts';
import { createEventRecorder, type EventRecorder } from '../kube/events.ts';
import { loadKubeconfig } from '../kube/kubeconfig.ts';
import { createKubeTransport } from '../kube/transport.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import type { Environment } from '../local/machine.ts';
import { createAlertClientFactory } from './alert-client-factory.ts';
import { type Cluster, createCluster } from './cluster.ts';
import { createLeadership, fenceStatusWrites, type Leadership, leaseOf, noLeaderElection } from './leadership.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { startProbes } from './probes.ts';

export type ManagerValues = Values<typeof controllerOptions>;

export interface ManagerOptions {
  /** Used to find a kubeconfig when the values name none. */
  readonly environment: Environment;
  /** Identifies this replica: the name of its Pod. */
  readonly reportingInstance: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Replaces the sockets in a simulation. */
  readonly network?: Network;
}

/** The network of a simulation. The caller that opens a connection closes it. */
export interface Network {
  connectCluster(): ApiServerConnection;
  /** `caBundle`: the authorities that the connection trusts; undefined for the well-known ones. */
  openService(caBundle: string | undefined): Dispatcher;
}

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

/**
 * Resolves when the probes respond; the caches sync later. Rejects with a `CodedError` for a bad kubeconfig or an
 * address in use.
 */
export async function startManager(values: ManagerValues, options: ManagerOptions): Promise<RunningManager> {
  const { clock, log } = options;
  const lost = Promise.withResolvers<void>();
  let isStopping = false;
  const metrics = createMetrics(() => assembly.controller.load(), options.network === undefined);
  const assembly: Assembly = assemble(values, options, metrics, {
    onSynced() {
      log.info({}, 'caches synced');
      if (!values.leaderElect && !isStopping) assembly.controller.start();
    },
    /**
     * Lists again first: the previous leader may have written until a moment ago, and the caches may not show it yet.
     */
    async onAcquired() {
      const isFresh = await assembly.cluster.relist();
      if (isFresh && !isStopping) assembly.controller.start();
    },
    async onLost() {
      isStopping = true;
      await assembly.controller.stop(0);
      lost.resolve();
    },
  });
  const { connection, cluster, events, controller, leadership } = assembly;
  const servers = await startProbes(
    { probes: values.healthProbeBindAddress, metrics: values.metricsBindAddress },
    {
      isLive: () => clock.monotonic() - cluster.lastContactMs < silentWatchMs,
      isReady: () => cluster.hasSynced && !isStopping,
    },
    metrics.registry,
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
      await leadership.stop();
      await cluster.stop();
      await events.stop(eventGraceMs);
      await servers.stop();
      await connection.close();
      log.info({}, 'stopped');
    },
  };
}

interface Assembly {
  readonly connection: ApiServerConnection;
  readonly cluster: Cluster;
  readonly events: EventRecorder;
  readonly controller: Controller;
  readonly leadership: Leadership;
}

/** Callbacks for the lifecycle of the assembly. They never throw or reject. */
interface LifecycleHooks {
  readonly onSynced: () => void;
  readonly onAcquired: () => Promise<void>;
  readonly onLost: () => Promise<void>;
}

/** Builds the parts without opening a socket. */
function assemble(
  values: ManagerValues,
  { environment, reportingInstance, clock, random, log, network }: ManagerOptions,
  metrics: Metrics,
  { onSynced, onAcquired, onLost }: LifecycleHooks,
): Assembly {
  const load = () => loadKubeconfig({ path: values.kubeconfig, environment });
  const connect = () =>
    network?.connectCluster() ?? createApiServerConnection({ load, clock, userAgent: 'rolealerts' });
  const connection = connect();
  const transport = createKubeTransport({ connection, clock, observer: metrics.transport });
  const observer = { onRecorded: () => undefined, onDropped: metrics.onEventDropped };
  const events = createEventRecorder({ transport, clock, random, log, reportingInstance, observer });
  const cluster = createCluster({
    transport,
    namespaces: values.watchNamespaces,
    connectionSelector: values.connectionSelector,
    clock,
    random,
    log,
    onPolicy: (event) => controller.policyChanged(event),
    onConnection: (event) => controller.connectionChanged(event),
    onFailure: metrics.onWatchFailure,
    onSynced,
  });
  const clientFactory = createAlertClientFactory({
    credentials: createCredentialReader(transport),
    allowHttp: values.allowHttp,
    allowPrivateEndpoints: values.allowPrivateEndpoints,
    clock,
    random,
    log,
    observe: metrics.onServiceRequest,
    openDispatcher: network && ((caBundle) => network.openService(caBundle)),
  });
  const leadership = !values.leaderElect
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
        onAcquired: () => void onAcquired(),
        onLost: () => void onLost(),
      });
  const controller: Controller = new Controller({
    cluster: fenceStatusWrites(cluster, leadership),
    clientFactory,
    events,
    observer: metrics.observer,
    clock,
    random,
    log,
    isReadOnly: values.readOnly,
    defaultIntervalMs: values.interval,
    mayWrite: () => leadership.mayWrite(),
  });
  return { connection, cluster, events, controller, leadership };
}
