// The operator put together from its parts, and taken apart again. The command and the tests share it, so that the tests
// run what production runs; what differs between them is a parameter.
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
  /** Where a kubeconfig is looked for when the values name none. */
  readonly environment: Environment;
  /** Which replica this is: the Pod's name. */
  readonly reportingInstance: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Real sockets unless given. */
  readonly network?: Network;
}

/** What stands for the sockets in a simulation. Each is closed by whoever was given it. */
export interface Network {
  connectCluster(): ApiServerConnection;
  /** `caBundle` is what the connection trusts; undefined for the well-known authorities. */
  openService(caBundle: string | undefined): Dispatcher;
}

export interface RunningManager {
  /** Base URLs of what is served; undefined for what is served nowhere. */
  readonly probesURL: string | undefined;
  readonly metricsURL: string | undefined;
  /**
   * Resolves when the leader lease was lost and what was under way has been cut off: nothing is written any more, and all that is
   * left to do is `stop`. Never resolves without leader election, and never rejects.
   */
  readonly lost: Promise<void>;
  /** Not ready at once; then finishes what is under way, within 20 seconds, releases the lease, and closes everything. */
  stop(): Promise<void>;
}

/** A watch that gave no sign of life for so long is not trying any more. */
const silentWatchMs = 300_000;
const eventGraceMs = 2000;

/** Resolves when the probes answer; the caches sync later. Throws `CodedError` for a bad kubeconfig or a taken address. */
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
    /** The one before may have written until a moment ago, and the caches may not know it yet. */
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

/** What happens to the assembly as a whole. Nothing here rejects. */
interface LifecycleHooks {
  readonly onSynced: () => void;
  readonly onAcquired: () => Promise<void>;
  readonly onLost: () => Promise<void>;
}

/** Nothing is sent and nothing listens yet. */
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
