// The demo's alerts service, in this process so that the scenario can play a scan.
import { createWriteStream } from 'node:fs';

import { systemClock } from '../../lib/clock.ts';
import { createFlatLogger } from '../../lib/flat-log.ts';
import { formatLogLine } from '../../lib/log-text.ts';
import { createLogger } from '../../lib/log.ts';
import { systemSecrets } from '../../lib/secret-text.ts';
import { type RunningAlertsService, startAlertsService } from '../../service/server.ts';
import { demoClientID, demoSeed } from './manifests.ts';

export interface DemoService extends Pick<RunningAlertsService, 'url' | 'tokenURL' | 'alerts' | 'stop'> {
  /** The operator's client secret. */
  readonly clientSecret: string;
  /** A bearer token for every other client. */
  readonly token: string;
}

/** Starts the service, and truncates the log. */
export async function startDemoService(logPath: string): Promise<DemoService> {
  const sink = createWriteStream(logPath, { mode: 0o600 });
  // A full disk must not end the demo.
  sink.on('error', () => undefined);
  const log = createLogger({ level: 'info', format: formatLogLine, sink });
  const clientSecret = systemSecrets();
  const token = systemSecrets();
  const service = await startAlertsService({
    listen: { host: '127.0.0.1', port: 0 },
    seed: demoSeed(),
    staticToken: token,
    clients: [{ id: demoClientID, secret: clientSecret }],
    clock: systemClock,
    newSecret: systemSecrets,
    log,
    accessLog: createFlatLogger({ level: 'info', format: formatLogLine, sink }),
  });
  const { url, tokenURL, alerts } = service;
  const stop = async () => {
    await service.stop().finally(() => sink.end());
  };
  return { url, tokenURL, alerts, stop, clientSecret: clientSecret.reveal(), token: token.reveal() };
}
