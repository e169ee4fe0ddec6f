// The demo's alerts service, in this process so that the story can play a scan. Whoever else changes an alert through its
// API is noticed here, because the operator is not told who did it.
import { createWriteStream } from 'node:fs';

import { systemClock } from '../lib/clock.ts';
import { createLogger, type Logger } from '../lib/log.ts';
import { systemSecrets } from '../lib/secret-source.ts';
import { demoClientID, demoSeed } from '../local/demo/manifests.ts';
import { type Sample, samples } from '../local/demo/samples.ts';
import { deeds, type TimelineEntry } from '../local/demo/timeline.ts';
import { type RunningAlertsService, startAlertsService } from '../service/service.ts';

export interface DemoService extends Pick<RunningAlertsService, 'url' | 'tokenURL' | 'alerts' | 'stop'> {
  /** The operator's. */
  readonly clientSecret: string;
  /** Anybody else's. */
  readonly token: string;
}

/** The log is begun anew. */
export async function startDemoService(logPath: string, onDeed: (entry: TimelineEntry) => void): Promise<DemoService> {
  const sink = createWriteStream(logPath, { mode: 0o600 });
  // A disk that is full must not end the demo.
  sink.on('error', () => undefined);
  const log = createLogger({ level: 'info', format: 'text', sink });
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
    accessLog: noticing(log, () => noticeDeeds()),
  });
  const known = new Map<string, string>();
  const noticeDeeds = () => {
    for (const sample of samples) {
      for (const { name } of sample.found) noticeDeed(service, known, sample, name, onDeed);
    }
  };
  const { url, tokenURL, alerts } = service;
  const stop = () => service.stop().finally(() => sink.end());
  return { url, tokenURL, alerts, stop, clientSecret: clientSecret.reveal(), token: token.reveal() };
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
