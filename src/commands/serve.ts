// `rolealerts serve`: the alerts service in the foreground, with separate addresses for probes and metrics.
import { once } from 'node:events';

import { systemClock } from '../lib/clock.ts';
import { UsageError } from '../lib/command-errors.ts';
import type { FlatLogger } from '../lib/flat-log.ts';
import { isNetwork } from '../lib/ip-address.ts';
import type { Logger } from '../lib/log.ts';
import { addressOption, listenOption, originOption } from '../lib/options/address.ts';
import type { Values } from '../lib/options/option.ts';
import { numberOption, retentionOption } from '../lib/options/quantity.ts';
import {
  choiceOption,
  listOption,
  repeatedSecretOption,
  secretOption,
  switchOption,
  textOption,
} from '../lib/options/text.ts';
import type { Output } from '../lib/output.ts';
import { systemSecrets } from '../lib/secret-text.ts';
import { logOptions } from '../operator/manager/controller-options.ts';
import { type Health, startProbes } from '../operator/manager/probes.ts';
import { parseServiceClients, parseServiceUsers } from '../service/credential-pairs.ts';
import { createForwardClock } from '../service/emulator/forward-clock.ts';
import { decodeTLS, writeAuthority } from '../service/run/service-certificate.ts';
import { createServiceMetrics, type ServiceMetrics } from '../service/run/service-metrics.ts';
import { openAssignmentSource } from '../service/scanner/open-source.ts';
import { readScannerFile } from '../service/scanner/scanner-file.ts';
import { scannerWith } from '../service/scanner/scanner.ts';
import { type RunningAlertsService, startAlertsService } from '../service/server.ts';
import type { AlertsServiceOptions } from '../service/service-options.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { type Host, untilStopped } from './host.ts';
import { logStart, openLog } from './open-log.ts';
import {
  databaseOption,
  refuseTwoStates,
  serveBackupCommand,
  serveCACommand,
  serveHashCommand,
} from './serve-subcommands.ts';

export const serveOptions = {
  listen: listenOption({
    flag: 'listen',
    fallback: { host: '127.0.0.1', port: 0 },
    description: 'The listen address; port 0 picks a free port, and the URL is printed.',
  }),
  print: choiceOption({
    flag: 'print',
    choices: ['all', 'url', 'nothing'],
    fallback: 'all',
    description:
      'What standard output gets: url is the URL in one line, and with --admin the admin URL in a second one. All but all requires a credential from another option.',
  }),
  publicURL: originOption({
    flag: 'public-url',
    description: 'The external base URL, if it differs from the listen address.',
  }),
  trustedProxies: listOption({
    flag: 'trusted-proxies',
    placeholder: 'CIDR,...',
    description:
      'The proxies whose headers X-Forwarded-For, -Proto and -Host count, as addresses or networks. Default: none.',
    isItem: isNetwork,
    expected: 'addresses or networks like 10.0.0.0/8,fd00::/8',
  }),
  seed: textOption({
    flag: 'seed',
    placeholder: 'FILE',
    description: 'YAML or JSON with scopes and alerts, loaded into an empty store.',
  }),
  data: textOption({
    flag: 'data',
    placeholder: 'FILE',
    description: 'The SQLite file of the state. Default: in memory.',
  }),
  database: databaseOption,
  staticToken: secretOption({
    flag: 'static-token',
    placeholder: 'TOKEN',
    description:
      'A bearer token to accept, at least 16 characters. Without a static token, a client and a user, a random one is generated and printed.',
  }),
  client: repeatedSecretOption({
    flag: 'client',
    placeholder: 'ID:SECRET',
    description:
      'A client of the token endpoint, with a secret of at least 16 characters; repeatable, or several separated by white space.',
  }),
  user: repeatedSecretOption({
    flag: 'user',
    placeholder: 'NAME:PASSWORD',
    description:
      'A user who may sign in with a browser, with a password of at least 8 characters; repeatable, or several separated by white space.',
  }),
  registrations: textOption({
    flag: 'registrations',
    placeholder: 'FILE',
    description: 'YAML or JSON with more clients and users, and their OAuth scopes.',
  }),
  tlsCertFile: textOption({
    flag: 'tls-cert-file',
    placeholder: 'FILE',
    description: 'Serve over TLS with this certificate chain in PEM, reread every 30s. Requires --tls-key-file.',
  }),
  tlsKeyFile: textOption({
    flag: 'tls-key-file',
    placeholder: 'FILE',
    description: 'The private key of --tls-cert-file in PEM.',
  }),
  tlsSelfSigned: switchOption({
    flag: 'tls-self-signed',
    description: 'Serve over TLS with a generated certificate, for trials; the CA is printed.',
  }),
  tlsCAOut: textOption({
    flag: 'tls-ca-out',
    placeholder: 'FILE',
    description: 'A file to write the CA certificate of --tls-self-signed to.',
  }),
  scanner: textOption({
    flag: 'scanner',
    placeholder: 'FILE',
    description: 'YAML or JSON with the source of role assignments. Default: no scans.',
  }),
  faults: textOption({
    flag: 'faults',
    placeholder: 'FILE',
    description: 'YAML or JSON with the faults to inject. Default: none.',
  }),
  admin: addressOption({
    flag: 'admin',
    fallback: '0',
    description: 'The listen address of the admin port: faults, scans and the audit trail; 0 disables it.',
  }),
  emulator: switchOption({
    flag: 'emulator',
    description:
      'For tests of a client: the admin port can reset and replace the state and set the clock forward. Requires --admin; excludes --data and --database.',
  }),
  adminToken: secretOption({
    flag: 'admin-token',
    placeholder: 'TOKEN',
    description:
      'The bearer token of the admin port, at least 16 characters. Without it the admin port listens on loopback only.',
  }),
  auditRetention: retentionOption({
    flag: 'audit-retention',
    fallbackDays: 90,
    mostDays: 3650,
    description:
      'How long the audit trail keeps a record of a change; 0 disables it. See GET /audit of the admin port.',
  }),
  auditSize: numberOption({
    flag: 'audit-size',
    fallback: 128,
    least: 1,
    most: 1_048_576,
    defaultText: '128',
    description:
      'The maximum size of the audit trail in MiB, whatever --audit-retention says: then the oldest records are deleted.',
  }),
  pageSize: numberOption({
    flag: 'page-size',
    fallback: undefined,
    least: 1,
    most: 1000,
    defaultText: '50',
    description: 'The maximum number of alerts on one page of a list.',
  }),
  rateLimit: numberOption({
    flag: 'rate-limit',
    fallback: 100,
    least: 0,
    most: 1_000_000,
    defaultText: '100',
    description: 'Requests per second for each caller, with a burst of ten seconds; 0 for no limit.',
  }),
  providerNamespace: textOption({
    flag: 'provider-namespace',
    placeholder: 'NS',
    description: 'The provider namespace in paths, ids and types. Default: Vendor.Authorization.',
  }),
  metricsBindAddress: addressOption({
    flag: 'metrics-bind-address',
    fallback: '0',
    description: 'The address that serves /metrics; 0 disables it.',
  }),
  healthProbeBindAddress: addressOption({
    flag: 'health-probe-bind-address',
    fallback: '0',
    description: 'The address that serves /livez and /readyz; 0 disables them.',
  }),
  ...logOptions,
};

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
