// The demo's alerts service, in this process so that the scenario can play a scan.
import { createWriteStream } from 'node:fs';

import { systemClock } from '../../lib/clock.ts';
import { LocalError } from '../../lib/command-errors.ts';
import { createFlatLogger } from '../../lib/flat-log.ts';
import { formatLogLine } from '../../lib/log-text.ts';
import { createLogger } from '../../lib/log.ts';
import { systemSecrets } from '../../lib/secret-text.ts';
import { defaultThresholds } from '../../service/scanner/kinds.ts';
import { openAssignmentSource } from '../../service/scanner/open-source.ts';
import { type ClusterSourceOptions, decodeScannerConfiguration } from '../../service/scanner/scanner-file.ts';
import { scannerWith } from '../../service/scanner/scanner.ts';
import { type RunningAlertsService, startAlertsService } from '../../service/server.ts';
import { demoClientID, demoSeed } from './manifests.ts';
import { scannedSample } from './samples.ts';

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
export async function startDemoService({ logPath, kubeconfigPath }: DemoServiceAccess): Promise<DemoService> {
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
    log,
    accessLog: createFlatLogger({ level: 'info', format: formatLogLine, sink }),
    scanner: scannerWith({ source, thresholds, intervalMs: scanIntervalMs }),
  });
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
