// Connects the parts of the manager: caches, clients, metrics and the controller.
import { Controller } from '../controller/controller.ts';
import { createApiAudiences } from '../kube/api-audiences.ts';
import { type ApiServerConnection, createApiServerConnection } from '../kube/api-server-connection.ts';
import { createCredentialReader } from '../kube/credentials.ts';
import { createEventRecorder, type EventRecorder } from '../kube/events.ts';
import { kubeconfigLoader } from '../kube/kubeconfig.ts';
import { createServiceAccounts } from '../kube/service-accounts.ts';
import { createKubeTransport } from '../kube/transport.ts';
import { createAlertClientFactory } from './alert-client-factory.ts';
import { clusterNamespaceOf } from './cluster-namespace.ts';
import { type Cluster, createCluster } from './cluster.ts';
import { createLeadership, fenceStatusWrites, type Leadership, leaseOf, noLeaderElection } from './leadership.ts';
import type { ManagerValues, ManagerOptions } from './manager-options.ts';
import type { Metrics } from './metrics.ts';

export interface Assembly {
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
export function assemble(
  values: ManagerValues,
  { environment, proxies, reportingInstance, clock, random, log, network, recorder }: ManagerOptions,
  metrics: Metrics,
  { onSynced, onAcquired, onLost }: LifecycleHooks,
): Assembly {
  const load = kubeconfigLoader({ path: values.kubeconfig, environment });
  const connect = () =>
    network?.connectCluster() ?? createApiServerConnection({ load, clock, userAgent: 'rolealerts' });
  const connection = connect();
  const transport = createKubeTransport({ connection, clock, observer: metrics.transport });
  const observer = { onRecorded: () => undefined, onDropped: metrics.onEventDropped };
  const events = createEventRecorder({ transport, clock, random, log, reportingInstance, observer });
  const clusterNamespace = clusterNamespaceOf(values);
  const cluster = createCluster({
    transport,
    watchNamespaces: values.watchNamespaces,
    clusterNamespace,
    connectionSelector: values.connectionSelector,
    clock,
    random,
    log,
    onPolicy: (event) => controller.policyChanged(event),
    onConnection: (event) => controller.connectionChanged(event),
    onNamespace: (event) => controller.namespaceChanged(event),
    onFailure: metrics.onWatchFailure,
    onSynced,
  });
  const clientFactory = createAlertClientFactory({
    credentials: createCredentialReader(transport),
    serviceAccounts: createServiceAccounts(
      transport,
      createApiAudiences({ transport, connection, declared: values.apiAudiences }),
    ),
    clusterNamespace,
    isBeingDeleted: (key) => controller.isBeingDeleted(key),
    allowHttp: values.allowHttp,
    allowPrivateEndpoints: values.allowPrivateEndpoints,
    allowedHosts: values.allowedHosts,
    proxies,
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
    recorder,
    clock,
    random,
    log,
    isReadOnly: values.readOnly,
    defaultIntervalMs: values.interval,
    mayWrite: () => leadership.mayWrite(),
  });
  return { connection, cluster, events, controller, leadership };
}
