// The demo's alerts service, in this process so that the story can play a scan. Whoever else changes an alert through its
// API is noticed here, because the operator is not told who did it.
import { createWriteStream } from 'node:fs';

import { systemClock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import { createLogger, type Logger } from '../lib/log.ts';
import { systemSecrets } from '../lib/secret-source.ts';
import { demoClientID, demoSeed } from '../local/demo/manifests.ts';
import { type Sample, samples, scannedSample } from '../local/demo/samples.ts';
import { deeds, type TimelineEntry } from '../local/demo/timeline.ts';
import { type ClusterSettings, decodeScannerConfiguration } from '../service/config-files/scanner-file.ts';
import { defaultThresholds } from '../service/scanner/kinds.ts';
import { type RunningAlertsService, startAlertsService } from '../service/server.ts';
import { openAssignmentSource } from './wiring/scanner-source.ts';

export interface DemoService extends Pick<RunningAlertsService, 'url' | 'tokenURL' | 'alerts' | 'stop'> {
  /** Reads the cluster's bindings now. Throws `OperatorError` `local` when it cannot. */
  scan(): Promise<void>;
  /** The operator's. */
  readonly clientSecret: string;
  /** Anybody else's. */
  readonly token: string;
}

export interface DemoServiceAccess {
  readonly logPath: string;
  /** Of the cluster that is scanned. */
  readonly kubeconfigPath: string;
}

/** So short that people see it happen. */
const scanIntervalMs = 1000;

/** The log is begun anew. */
export async function startDemoService(
  { logPath, kubeconfigPath }: DemoServiceAccess,
  onDeed: (entry: TimelineEntry) => void,
): Promise<DemoService> {
  const sink = createWriteStream(logPath, { mode: 0o600 });
  // A disk that is full must not end the demo.
  sink.on('error', () => undefined);
  const log = createLogger({ level: 'info', format: 'text', sink });
  const clientSecret = systemSecrets();
  const token = systemSecrets();
  const { source, close } = openAssignmentSource(clusterSettings(kubeconfigPath), {
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
    log: noticingScans(log, onDeed),
    accessLog: noticing(log, () => noticeDeeds()),
    scanner: { source, thresholds, intervalMs: scanIntervalMs },
  });
  const known = new Map<string, string>();
  const noticeDeeds = () => {
    for (const sample of samples) {
      for (const { name } of sample.found) noticeDeed(service, known, sample, name, onDeed);
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
    throw new OperatorError('local', 'The cluster cannot be scanned', { detail: `see ${logPath}` });
  };
  return { url, tokenURL, alerts, scan, stop, clientSecret: clientSecret.reveal(), token: token.reveal() };
}

function clusterSettings(kubeconfig: string): ClusterSettings {
  const source = { cluster: { name: scannedSample.scope.replace(/^clusters\//, ''), kubeconfig } };
  const { source: settings } = decodeScannerConfiguration({ source }, 'demo');
  if (settings.from !== 'cluster') throw new OperatorError('local', 'The demo scans a cluster.');
  return settings;
}

/** Tells of every scan that raised an alert. */
function noticingScans(log: Logger, onDeed: (entry: TimelineEntry) => void): Logger {
  return {
    ...log,
    info(fields, message) {
      log.info(fields, message);
      const { raised } = fields as Readonly<Record<string, unknown>>;
      if (typeof raised !== 'number' || raised === 0) return;
      const note = "The service's scanner found new owners among this cluster's RBAC bindings, and raised the alert.";
      onDeed({ atMs: systemClock.now(), policy: scannedSample.name, what: deeds.scanned, note });
    },
  };
}

/** Calls back after every update by others than the operator's client. */
function noticing(log: Logger, onUpdate: () => void): Logger {
  return {
    ...log,
    info(fields, message) {
      log.info(fields, message);
      const { route, principal, status } = fields as Readonly<Record<string, unknown>>;
      if (route === 'update-alert' && principal === 'static-token' && status === 204) onUpdate();
    },
  };
}

function noticeDeed(
  { alerts }: RunningAlertsService,
  known: Map<string, string>,
  { scope, name: policy }: Sample,
  alertName: string,
  onDeed: (entry: TimelineEntry) => void,
): void {
  const { systemData, properties } = (alerts.readAlert(scope, alertName) ?? {}) as LiveAlert;
  const { lastModifiedAt = '', lastModifiedBy } = systemData ?? {};
  const key = `${scope} ${alertName}`;
  if (lastModifiedBy !== 'static-token' || known.get(key) === lastModifiedAt) return;
  known.set(key, lastModifiedAt);
  const isActive = properties?.isActive === true;
  const note = `Somebody with a token turned alert ${alertName} ${isActive ? 'on' : 'off'}; not the operator.`;
  const what = isActive ? deeds.turnedOn : deeds.turnedOff;
  onDeed({ atMs: Date.parse(lastModifiedAt), policy, what, note });
}

/** What is looked at of an alert (specification 2.2 and 2.7). */
interface LiveAlert {
  readonly systemData?: { readonly lastModifiedAt?: string; readonly lastModifiedBy?: string };
  readonly properties?: { readonly isActive?: boolean };
}
