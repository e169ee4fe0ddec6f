// The demo's alerts service, in this process so that the scenario can play a scan. Its observer reports updates by other clients than
// the operator.
import { createWriteStream } from 'node:fs';

import { systemClock } from '../lib/clock.ts';
import { LocalError } from '../lib/command-errors.ts';
import { formatLogLine } from '../lib/log-text.ts';
import { createLogger } from '../lib/log.ts';
import { systemSecrets } from '../lib/secret-source.ts';
import { openAssignmentSource } from '../serve/scanner-source.ts';
import { type ClusterSourceOptions, decodeScannerConfiguration } from '../service/config-files/scanner-file.ts';
import { type ServiceObserver, silentObserver } from '../service/observer.ts';
import { defaultThresholds } from '../service/scanner/kinds.ts';
import { type RunningAlertsService, startAlertsService } from '../service/server.ts';
import { demoClientID, demoSeed } from './manifests.ts';
import type { Sample } from './sample.ts';
import { samples } from './samples.ts';
import { scannedSample } from './scenario-samples.ts';
import { userActions, type TimelineEntry } from './timeline.ts';

export interface DemoService extends Pick<RunningAlertsService, 'url' | 'tokenURL' | 'alerts' | 'stop'> {
  /** Scans the cluster now. Throws `LocalError` when the scan fails. */
  scan(): Promise<void>;
  /** The operator's client secret. */
  readonly clientSecret: string;
  /** A bearer token for every other client. */
  readonly token: string;
}

export interface DemoServiceAccess {
  readonly logPath: string;
  /** The kubeconfig of the scanned cluster. */
  readonly kubeconfigPath: string;
}

/** Short, so that a viewer sees each scan. */
const scanIntervalMs = 1000;

/** Starts the service, and truncates the log. */
export async function startDemoService(
  { logPath, kubeconfigPath }: DemoServiceAccess,
  onAction: (entry: TimelineEntry) => void,
): Promise<DemoService> {
  const sink = createWriteStream(logPath, { mode: 0o600 });
  // A full disk must not end the demo.
  sink.on('error', () => undefined);
  const log = createLogger({ level: 'info', format: formatLogLine, sink });
  const clientSecret = systemSecrets();
  const token = systemSecrets();
  const { source, close } = openAssignmentSource(clusterSource(kubeconfigPath), {
    environment: {},
    clock: systemClock,
  });
  const thresholds = { ...defaultThresholds, thresholdNumberOfPermanentOwners: 2 };
  const service = await startAlertsService({
    listen: { host: '127.0.0.1', port: 0 },
    seed: demoSeed(),
    staticToken: token,
    clients: [{ id: demoClientID, secret: clientSecret }],
    clock: systemClock,
    newSecret: systemSecrets,
    log: log,
    accessLog: log,
    observer: createDemoObserver(() => reportUpdates(), onAction),
    scanner: { source, thresholds, intervalMs: scanIntervalMs },
  });
  const known = new Map<string, string>();
  const reportUpdates = () => {
    for (const sample of samples) {
      for (const { name } of sample.found) reportUpdate(service, known, sample, name, onAction);
    }
  };
  const { url, tokenURL, alerts } = service;
  const stop = async () => {
    try {
      await service.stop();
      await close();
    } finally {
      sink.end();
    }
  };
  const scan = async () => {
    if (await service.scanner?.scanNow()) return;
    throw new LocalError('Cannot scan the cluster', { detail: `see ${logPath}` });
  };
  return { url, tokenURL, alerts, scan, stop, clientSecret: clientSecret.reveal(), token: token.reveal() };
}

function clusterSource(kubeconfig: string): ClusterSourceOptions {
  const source = { cluster: { name: scannedSample.scope.replace(/^clusters\//, ''), kubeconfig } };
  const { source: settings } = decodeScannerConfiguration({ source }, 'demo');
  if (settings.from !== 'cluster') throw new LocalError('The demo scans a cluster.');
  return settings;
}

/** Reports updates by callers other than the operator, and scans that activated an alert. */
function createDemoObserver(onUpdate: () => void, onAction: (entry: TimelineEntry) => void): ServiceObserver {
  return {
    ...silentObserver,
    answered({ route, principal, status }) {
      if (route === 'update-alert' && principal === 'static-token' && status === 204) onUpdate();
    },
    scanEnded(_result, raised) {
      if (raised === 0) return;
      const note = "The service's scanner found new owners among this cluster's RBAC bindings and activated the alert.";
      onAction({ atMs: systemClock.now(), policy: scannedSample.name, what: userActions.scanned, note });
    },
  };
}

function reportUpdate(
  { alerts }: RunningAlertsService,
  known: Map<string, string>,
  { scope, name: policy }: Sample,
  alertName: string,
  onAction: (entry: TimelineEntry) => void,
): void {
  const { systemData, properties } = (alerts.readAlert(scope, alertName) ?? {}) as LiveAlert;
  const { lastModifiedAt = '', lastModifiedBy } = systemData ?? {};
  const key = `${scope} ${alertName}`;
  if (lastModifiedBy !== 'static-token' || known.get(key) === lastModifiedAt) return;
  known.set(key, lastModifiedAt);
  const isActive = properties?.isActive === true;
  const note = `A user with a token ${isActive ? 'activated' : 'deactivated'} alert ${alertName}.`;
  const what = isActive ? userActions.activated : userActions.deactivated;
  onAction({ atMs: Date.parse(lastModifiedAt), policy, what, note });
}

/** The members of an alert that the timeline uses (sections 2.2 and 2.7). */
interface LiveAlert {
  readonly systemData?: { readonly lastModifiedAt?: string; readonly lastModifiedBy?: string };
  readonly properties?: { readonly isActive?: boolean };
}
