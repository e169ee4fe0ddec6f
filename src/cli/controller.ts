// `rolealerts controller`: the operator in the foreground, put together from its parts.
import { hostname } from 'node:os';

import { controllerOptions } from '../config/controller-options.ts';
import { Operator } from '../controller/operator.ts';
import { createConnection } from '../kube/connection.ts';
import { createCredentialReader } from '../kube/credentials.ts';
import { createEventRecorder } from '../kube/events.ts';
import { loadKubeconfig } from '../kube/kubeconfig.ts';
import { createTransport } from '../kube/transport.ts';
import { systemClock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import { createLogger } from '../lib/log.ts';
import { systemRandom } from '../lib/random.ts';
import { defineCommand } from './command.ts';
import { untilStopped } from './host.ts';
import { createCluster } from './wiring/cluster.ts';
import { createGateway } from './wiring/gateway.ts';
import { createMetrics } from './wiring/metrics.ts';
import { startProbes } from './wiring/probes.ts';

/** A watch that gave no sign of life for so long is not trying any more. */
const silentWatchMs = 300_000;
const eventGraceMs = 2000;

export const controllerCommand = defineCommand({
  name: 'controller',
  sentence: 'Run the operator: watch policies and keep the alerts of their scopes as declared.',
  options: controllerOptions,
  async run(values, host) {
    if (host.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
      throw new OperatorError('usage', 'NODE_TLS_REJECT_UNAUTHORIZED=0 switches off TLS verification; unset it.');
    }
    const [clock, random] = [systemClock, systemRandom];
    const log = createLogger({ level: values.logLevel, format: values.logFormat, sink: host.err });
    const connection = createConnection({
      load: () => loadKubeconfig({ path: values.kubeconfig, environment: host.env }),
      clock,
      userAgent: 'rolealerts',
    });
    const metrics = createMetrics(() => operator.load());
    const transport = createTransport({ connection, clock, observer: metrics.transport });
    const events = createEventRecorder({
      transport,
      clock,
      random,
      log,
      reportingInstance: host.env['HOSTNAME'] ?? hostname(),
      observer: { onRecorded: () => undefined, onDropped: metrics.onEventDropped },
    });
    const cluster = createCluster({
      transport,
      namespaces: values.watchNamespaces,
      clock,
      random,
      log,
      onPolicy: (event) => operator.policyChanged(event),
      onConnection: (event) => operator.connectionChanged(event),
      onFailure: metrics.onWatchFailure,
      onSynced: () => {
        log.info({}, 'caches synced');
        operator.start();
      },
    });
    const operator: Operator = new Operator({
      cluster,
      gateway: createGateway({
        credentials: createCredentialReader(transport),
        allowHttp: values.allowHttp,
        allowPrivateEndpoints: values.allowPrivateEndpoints,
        clock,
        random,
        log,
        observe: metrics.onServiceRequest,
      }),
      events,
      observer: metrics.observer,
      clock,
      random,
      log,
      isReadOnly: values.readOnly,
      defaultIntervalMs: values.interval,
      mayWrite: () => true,
    });
    const servers = await startProbes(
      { probes: values.healthProbeBindAddress, metrics: values.metricsBindAddress },
      {
        isLive: () => clock.monotonic() - cluster.lastContactMs < silentWatchMs,
        isReady: () => cluster.hasSynced && !host.stopping.aborted,
      },
      metrics.registry,
    );
    log.info({ server: connection.origin, readOnly: values.readOnly, urls: servers.map(({ url }) => url) }, 'started');
    cluster.start();
    await untilStopped(host.stopping);
    log.info({}, 'stopping');
    await operator.stop();
    await cluster.stop();
    await events.stop(eventGraceMs);
    await Promise.all(servers.map((server) => server.stop()));
    await connection.close();
    log.info({}, 'stopped');
    return 0;
  },
});
