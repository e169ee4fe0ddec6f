// `rolealerts serve`: the alerts service in the foreground, with separate addresses for probes and metrics.
import { once } from 'node:events';

import { systemClock } from '../lib/clock.ts';
import { UsageError } from '../lib/command-errors.ts';
import type { FlatLogger } from '../lib/flat-log.ts';
import type { Logger } from '../lib/log.ts';
import type { Values } from '../lib/options/option.ts';
import type { Output } from '../lib/output.ts';
import { systemSecrets } from '../lib/secret-source.ts';
import { type Health, startProbes } from '../operator/manager/probes.ts';
import { parseServiceClients, parseServiceUsers } from '../service/credential-pairs.ts';
import { createForwardClock } from '../service/emulator/forward-clock.ts';
import { decodeTLS, writeAuthority } from '../service/run/service-certificate.ts';
import { createServiceMetrics, type ServiceMetrics } from '../service/run/service-metrics.ts';
import { openAssignmentSource } from '../service/scanner/open-source.ts';
import { readScannerFile } from '../service/scanner/scanner-file.ts';
import { scannerWith } from '../service/scanner/scanner.ts';
import { startAlertsService, type RunningAlertsService } from '../service/server.ts';
import type { AlertsServiceOptions } from '../service/service-options.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { type Host, untilStopped } from './host.ts';
import { logStart } from './log-start.ts';
import { logUnknownVariable } from './log-unknown-variable.ts';
import { openLog } from './open-log.ts';
import { refuseTwoStates } from './options/data-file-options.ts';
import { serveOptions } from './options/serve-options.ts';
import { serveBackupCommand } from './serve-backup.ts';
import { serveCACommand } from './serve-ca.ts';
import { serveHashCommand } from './serve-hash.ts';

type ServeValues = Values<typeof serveOptions>;

export const serveCommand = defineCommand({
  name: 'serve',
  description: descriptions.serve,
  more: 'The command prints the URL on standard output when the service listens; the log, which has it as well, goes to standard error.',
  examples: [
    'rolealerts serve --seed alerts.yaml',
    'rolealerts serve --data alerts.db --static-token "$(cat token.txt)" --tls-self-signed --tls-ca-out ca.pem',
  ],
  options: serveOptions,
  subcommands: [serveBackupCommand, serveCACommand, serveHashCommand],
  warn: logUnknownVariable,
  async run(values, host) {
    const { log, accessLog, flush, droppedLines } = await openLog(values, host);
    const metrics = createServiceMetrics(systemClock, droppedLines);
    const settings = await readSettings(values, log, accessLog);
    logStart(log, serveOptions, values, host);
    const scanning = values.scanner === undefined ? undefined : await openScanning(values.scanner, host);
    const { observer } = metrics;
    let isListening = false;
    let service: RunningAlertsService | undefined;
    const isReady = () => isListening && !host.stopping.aborted && service?.isAvailable() === true;
    const probes = await openProbes(values, { metrics, health: { isReady }, log });
    try {
      const starting = startAlertsService({ ...settings, observer, ...(scanning && { scanner: scanning.scanner }) });
      service = await unlessStopped(starting, host.stopping);
      if (!service) return 0;
      metrics.countAlertsBy(service.countAlerts);
      if (values.tlsCAOut !== undefined) await writeAuthority(values.tlsCAOut, service.authority ?? '');
      isListening = true;
      announce(service, host.out, values.print);
      await untilStopped(host.stopping);
    } finally {
      await service?.stop();
      await probes.stop();
      await scanning?.close();
      flush();
    }
    return 0;
  },
});

/** Undefined when the stop signal comes first: a start may wait for minutes while another process prepares the database. */
async function unlessStopped(
  starting: Promise<RunningAlertsService>,
  stopping: AbortSignal,
): Promise<RunningAlertsService | undefined> {
  const ended = new AbortController();
  const stopped = once(stopping, 'abort', { signal: ended.signal }).then(
    () => undefined,
    () => undefined,
  );
  try {
    const service = stopping.aborted ? undefined : await Promise.race([starting, stopped]);
    if (!service) void starting.then((late) => late.stop()).catch(() => undefined);
    return service;
  } finally {
    ended.abort();
  }
}

async function readSettings(values: ServeValues, log: Logger, accessLog: FlatLogger): Promise<AlertsServiceOptions> {
  const tls = decodeTLS(values);
  refuseTwoStates(values.data, values.database);
  if (values.adminToken && !values.admin) throw new UsageError('--admin-token needs --admin.');
  // A client could not use the service without a generated CA. Of a kept state, `serve ca` prints it.
  const givesCA = values.print === 'all' || [values.tlsCAOut, values.data, values.database].some(Boolean);
  if (values.tlsSelfSigned && !givesCA) throw new UsageError(`--print=${values.print} prints no CA: add --tls-ca-out.`);
  const emulatorClock = values.emulator ? createForwardClock(systemClock) : undefined;
  return {
    listen: values.listen,
    clients: parseServiceClients(values.client),
    users: parseServiceUsers(values.user),
    clock: emulatorClock ?? systemClock,
    newSecret: systemSecrets,
    log,
    accessLog,
    ...(tls && { tls }),
    ...(values.publicURL !== undefined && { publicURL: values.publicURL }),
    trustedProxies: values.trustedProxies,
    ...(values.rateLimit > 0 && { requestsPerSecond: values.rateLimit }),
    ...(values.registrations !== undefined && { registrationsFile: values.registrations }),
    ...(values.seed !== undefined && { seedFile: values.seed }),
    ...(values.data !== undefined && { dataFile: values.data }),
    ...(values.database && { databaseURL: values.database }),
    ...(values.staticToken !== undefined && { staticToken: values.staticToken }),
    showsGeneratedToken: values.print === 'all',
    ...(values.faults !== undefined && { faultsFile: values.faults }),
    ...(values.admin && { admin: { listen: values.admin, ...(values.adminToken && { token: values.adminToken }) } }),
    auditRetentionMs: values.auditRetention,
    auditMiB: values.auditSize,
    ...(emulatorClock && { emulatorClock }),
    ...(values.pageSize !== undefined && { pageSize: values.pageSize }),
    ...(values.providerNamespace !== undefined && { providerNamespace: values.providerNamespace }),
  };
}

interface ProbesDeps {
  readonly metrics: ServiceMetrics;
  readonly health: Pick<Health, 'isReady'>;
  readonly log: Logger;
}

/** Runs before the service starts, so that an address in use fails the command before any scan or request. */
async function openProbes(values: ServeValues, { metrics, health, log }: ProbesDeps) {
  const bindings = { probes: values.healthProbeBindAddress, metrics: values.metricsBindAddress };
  const scrape = async () => [await metrics.registry.metrics()];
  const probes = await startProbes(bindings, { isLive: () => true, ...health }, scrape, systemClock);
  const { probesURL, metricsURL } = probes;
  if (probesURL !== undefined || metricsURL !== undefined) log.info({ probesURL, metricsURL }, 'probes started');
  return probes;
}

/** The first line is the URL, for programs; the admin URL follows and, unless only URLs are to be printed, the token and the CA. */
function announce(service: RunningAlertsService, out: Output, print: ServeValues['print']): void {
  if (print === 'nothing') return;
  const { url, adminURL, generatedToken, authority } = service;
  // In one write: who waits for the first line has the second one.
  out.write(adminURL === undefined ? `${url}\n` : `${url}\nadmin ${adminURL}\n`);
  if (print === 'url') return;
  if (generatedToken) out.write(`token ${generatedToken.reveal()}\n`);
  if (authority !== undefined) out.write(authority);
}

async function openScanning(file: string, { env: environment }: Host) {
  const { intervalMs, thresholds, source: settings } = await readScannerFile(file);
  const { source, close } = openAssignmentSource(settings, { environment, clock: systemClock });
  return { scanner: scannerWith({ intervalMs, thresholds, source }), close };
}
