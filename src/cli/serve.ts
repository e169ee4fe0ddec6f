// `rolealerts serve`: the alerts service in the foreground, with its probes and metrics on addresses of their own.
import type { Values } from '../config/option.ts';
import { serveOptions } from '../config/serve-options.ts';
import { systemClock } from '../lib/clock.ts';
import { createLogger, type Logger } from '../lib/log.ts';
import { systemSecrets } from '../lib/secret-source.ts';
import { readRegistrationsFile } from '../service/oauth/registrations-file.ts';
import { readScannerFile } from '../service/scanner/scanner-file.ts';
import { parseServiceClients, parseServiceUsers, type AlertsServiceOptions } from '../service/service-options.ts';
import { startAlertsService, type RunningAlertsService } from '../service/service.ts';
import { defineCommand } from './command.ts';
import { type Host, type Output, untilStopped } from './host.ts';
import { startProbes } from './wiring/probes.ts';
import { openAssignmentSource } from './wiring/scanner-source.ts';
import { decodeTLS, writeAuthority } from './wiring/serve-tls.ts';
import { createServiceMetrics, type ServiceMetrics } from './wiring/service-metrics.ts';

type ServeValues = Values<typeof serveOptions>;

export const serveCommand = defineCommand({
  name: 'serve',
  sentence: 'Run the alerts service of the specification, persistent when --data names a file.',
  more: 'The URL is printed on standard output once it listens; the log goes to standard error.',
  options: serveOptions,
  async run(values, host) {
    const log = createLogger({ level: values.logLevel, format: values.logFormat, sink: host.err });
    const metrics = createServiceMetrics(systemClock);
    const settings = await readSettings(values, log);
    const scanning = values.scanner === undefined ? undefined : await openScanning(values.scanner, host);
    const { observer } = metrics;
    const service = await startAlertsService({ ...settings, observer, ...(scanning && { scanner: scanning.scanner }) });
    const probes = await openProbes(values, { service, metrics, host, log });
    try {
      if (values.tlsCAOut !== undefined) await writeAuthority(values.tlsCAOut, service.authority ?? '');
      announce(service, host.out);
      await untilStopped(host.stopping);
    } finally {
      await service.stop();
      await probes.stop();
      await scanning?.close();
    }
    return 0;
  },
});

async function readSettings(values: ServeValues, log: Logger): Promise<AlertsServiceOptions> {
  const tls = decodeTLS(values);
  const filed = values.registrations === undefined ? undefined : await readRegistrationsFile(values.registrations);
  return {
    listen: values.listen ?? { host: '127.0.0.1', port: 0 },
    clients: [...parseServiceClients(values.client), ...(filed?.clients ?? [])],
    users: [...parseServiceUsers(values.user), ...(filed?.users ?? [])],
    clock: systemClock,
    newSecret: systemSecrets,
    log,
    accessLog: log,
    ...(tls && { tls }),
    ...(values.publicURL !== undefined && { publicURL: values.publicURL }),
    ...(values.rateLimit > 0 && { requestsPerSecond: values.rateLimit }),
    ...(values.seed !== undefined && { seedFile: values.seed }),
    ...(values.data !== undefined && { dataFile: values.data }),
    ...(values.staticToken !== undefined && { staticToken: values.staticToken }),
    ...(values.faults !== undefined && { faultsFile: values.faults }),
    ...(values.admin && { admin: { listen: values.admin, ...(values.adminToken && { token: values.adminToken }) } }),
    ...(values.pageSize !== undefined && { pageSize: values.pageSize }),
    ...(values.providerNamespace !== undefined && { providerNamespace: values.providerNamespace }),
  };
}

interface ProbesParts {
  readonly service: RunningAlertsService;
  readonly metrics: ServiceMetrics;
  readonly host: Host;
  readonly log: Logger;
}

/** Ready from now on until it is asked to stop. Without them the service does not go on. */
async function openProbes(values: ServeValues, { service, metrics, host, log }: ProbesParts) {
  metrics.countAlertsBy(() => service.countAlerts());
  const bindings = { probes: values.healthProbeBindAddress, metrics: values.metricsBindAddress };
  const health = { isLive: () => true, isReady: () => !host.stopping.aborted };
  try {
    const probes = await startProbes(bindings, health, metrics.registry);
    const { probesURL, metricsURL } = probes;
    if (probesURL !== undefined || metricsURL !== undefined) log.info({ probesURL, metricsURL }, 'probes started');
    return probes;
  } catch (error) {
    await service.stop();
    throw error;
  }
}

/** Programs read the first line; what clients need to know follows. */
function announce({ url, adminURL, generatedToken, authority }: RunningAlertsService, out: Output): void {
  out.write(`${url}\n`);
  if (adminURL !== undefined) out.write(`admin ${adminURL}\n`);
  if (generatedToken) out.write(`token ${generatedToken.reveal()}\n`);
  if (authority !== undefined) out.write(authority);
}

async function openScanning(file: string, { env: environment }: Host) {
  const { intervalMs, thresholds, source: settings } = await readScannerFile(file);
  const { source, close } = openAssignmentSource(settings, { environment, clock: systemClock });
  return { scanner: { intervalMs, thresholds, source }, close };
}
