// The alerts service as a whole: opens the data file, loads the seed, puts the parts together, listens, stops.
// What it answers is decided in routes.ts, what it may be started with in service-options.ts.
import type { DatabaseSync } from 'node:sqlite';

import { messageOf } from '../lib/errors.ts';
import { startHttpServer, type RunningServer } from '../lib/http-server.ts';
import type { SecretText } from '../lib/secret-text.ts';
import { checkAdminOptions, startAdminPort } from './admin/admin-port.ts';
import { createAlertStore, type AlertCounts, type AlertStore } from './alert-store.ts';
import { openDatabase } from './database.ts';
import { demandFaultScript, readFaultScript } from './faults/decode-script.ts';
import { noFaults, type FaultScript } from './faults/fault.ts';
import { createFaults, type Faults } from './faults/faults.ts';
import { createHttpAdapter } from './http-adapter.ts';
import { serverOptionsOf, serviceLimits } from './limits.ts';
import { createLiveAlerts, type LiveAlerts } from './live-alerts.ts';
import { openOAuth } from './oauth/oauth.ts';
import { silentObserver } from './observer.ts';
import { describedAs } from './openapi.ts';
import { cachePages } from './page-cache.ts';
import { createRateLimit } from './rate-limit.ts';
import { pagePaths } from './resource-path.ts';
import { createRoutes, type Answer } from './routes.ts';
import { createScannedScopes } from './scanner/scanned-scopes.ts';
import { createScanner, type Scanner } from './scanner/scanner.ts';
import { decodeSeed, readSeedFile } from './seed.ts';
import {
  decodeOptions,
  isEveryInterface,
  isLoopback,
  type AlertsServiceOptions,
  type ServiceSettings,
} from './service-options.ts';
import { openTLS, type TLS } from './tls/tls.ts';

/** How long requests in flight get to finish when the service stops. */
const stopGraceMs = 2000;

/** The service without a socket, for callers in the same process. */
export interface AlertsService {
  readonly answer: Answer;
  readonly alerts: LiveAlerts;
  /** Looks at every alert. */
  readonly countAlerts: () => AlertCounts;
  /** Present when neither a static token nor a client was named. To be shown once and never logged. */
  readonly generatedToken: SecretText | undefined;
  /** Undefined when no source of role assignments was named. Begun by `startAlertsService` only. */
  readonly scanner: Scanner | undefined;
  /** Undefined unless somebody asked for faults or for the admin port. */
  readonly faults: Faults | undefined;
  /** Lets go of the data file. Repetition is harmless. */
  close(): void;
}

export interface RunningAlertsService extends Omit<AlertsService, 'close' | 'answer' | 'faults'> {
  /** The base address of section 4, without a slash at the end. */
  readonly url: string;
  readonly tokenURL: string;
  /** The certificate that clients have to trust, in PEM; undefined but for a self-signed one. */
  readonly authority: string | undefined;
  /** Undefined when there is no admin port. */
  readonly adminURL: string | undefined;
  /** Lets running requests finish, then lets go of the data file. Repetition is harmless. */
  stop(): Promise<void>;
}

/** Throws `OperatorError` `usage` for a bad option, seed or file, `local` when the address is taken. */
export async function startAlertsService(options: AlertsServiceOptions): Promise<RunningAlertsService> {
  let listening = '';
  const publicURL = () => options.publicURL ?? listening;
  const { database, ...service } = await open(options, publicURL);
  const { alerts, countAlerts, generatedToken, scanner } = service;
  const { log } = options;
  const { server, tls, admin } = await listen(options, service, database).catch((error: unknown) => {
    service.close();
    throw error;
  });
  const { url } = server;
  listening = url;
  log.info({ url, state: options.dataFile ?? 'memory' }, 'alerts service started');
  if (options.publicURL === undefined && isEveryInterface(options.listen)) {
    log.warn({ url }, 'clients elsewhere are told an address of this machine only: name the public one');
  }
  if (!tls && !isLoopback(options.listen)) log.warn({ url }, 'tokens travel unencrypted beyond this machine');
  const unfollow = tls?.follow((pair) => server.replaceCertificate(pair));
  scanner?.start();
  let stopping: Promise<void> | undefined;
  const stopAll = () => {
    unfollow?.();
    return Promise.all([server.stop(stopGraceMs), admin?.stop(), scanner?.stop()]);
  };
  const stop = () =>
    (stopping ??= stopAll().then(() => {
      service.close();
      log.info({ url }, 'alerts service stopped');
    }));
  const tokenURL = `${publicURL()}${pagePaths.token}`;
  const [authority, adminURL] = [tls?.authority, admin?.url];
  return { url, tokenURL, authority, adminURL, alerts, countAlerts, generatedToken, scanner, stop };
}

async function listen(
  options: AlertsServiceOptions,
  service: AlertsService,
  database: DatabaseSync,
): Promise<{ server: RunningServer; tls: TLS | undefined; admin: RunningServer | undefined }> {
  const { answer } = service;
  const { listen: address, publicURL, tls: source, clock, log, accessLog, observer = silentObserver } = options;
  const tls = source && (await openTLS({ source, database, listenHost: address.host, publicURL, clock, log }));
  const limits = { ...serviceLimits, ...options.limits };
  const listener = createHttpAdapter({
    answer,
    scheme: tls ? 'https' : 'http',
    publicURL,
    clock,
    log,
    accessLog,
    limits,
    observer,
  });
  const onBroken = (status: number, error: string) => {
    observer.brokenAnswered(status);
    accessLog?.info({ status, error }, 'broken request answered');
  };
  const admin = await openAdminPort(options, service);
  const server = await startHttpServer(address, listener, {
    ...serverOptionsOf(limits, onBroken),
    ...(tls && { tls: tls.pair }),
    onHandshakeFailed: (error) => log.debug({ reason: messageOf(error) }, 'TLS handshake failed'),
  }).catch(async (error: unknown) => {
    await admin?.stop();
    throw error;
  });
  return { server, tls, admin };
}

async function openAdminPort(
  { admin, clock, log }: AlertsServiceOptions,
  { faults, scanner }: AlertsService,
): Promise<RunningServer | undefined> {
  if (!admin || !faults) return undefined;
  return startAdminPort(admin, { faults, ...(scanner && { scanner }), clock, log });
}

/** Everything but the socket. */
export async function openAlertsService(options: AlertsServiceOptions): Promise<AlertsService> {
  const { database: _, ...service } = await open(options, () => options.publicURL ?? 'http://localhost');
  return service;
}

async function open(
  options: AlertsServiceOptions,
  publicURL: () => string,
): Promise<AlertsService & Pick<Opened, 'database'>> {
  const settings = decodeOptions(options);
  const document = options.seedFile === undefined ? options.seed : await readSeedFile(options.seedFile);
  const script = await readFaults(options);
  const database = openDatabase(options.dataFile);
  try {
    const store = cachePages(createAlertStore(database));
    if (document !== undefined) loadSeed(document, store, settings, options);
    return { database, ...(await assemble({ database, store, settings, script, publicURL }, options)) };
  } catch (error) {
    database.close();
    throw error;
  }
}

interface Opened {
  readonly database: DatabaseSync;
  readonly store: AlertStore;
  readonly settings: ServiceSettings;
  readonly script: FaultScript | undefined;
  readonly publicURL: () => string;
}

async function assemble(
  { database, store, settings, script, publicURL }: Opened,
  {
    clock,
    newSecret,
    log,
    requestsPerSecond,
    scanner: scannerOptions,
    observer = silentObserver,
  }: AlertsServiceOptions,
): Promise<AlertsService> {
  const rateLimit = createRateLimit(requestsPerSecond, clock);
  const oauth = await openOAuth({ ...settings, database, publicURL, rateLimit, clock, newSecret, log, observer });
  const description = () => describedAs({ ...settings, serverURL: publicURL(), authURL: publicURL() });
  const pages = { ...oauth.pages, openapi: description };
  const parts = { ...settings, authorize: oauth.authorize, pages, store, rateLimit, clock, log };
  const faults = script && createFaults(parts, script);
  const answer = faults?.answer ?? createRoutes(parts);
  const { providerNamespace, generatedToken } = settings;
  const scannedScopes = createScannedScopes(database);
  const onScanned = (report: unknown) => observer.scanEnded(report === undefined ? 'failed' : 'succeeded');
  const scanner =
    scannerOptions &&
    createScanner({ ...scannerOptions, store, scannedScopes, providerNamespace, clock, log, onScanned });
  const close = () => {
    void scanner?.stop();
    faults?.stop();
    if (database.isOpen) database.close();
  };
  const alerts = createLiveAlerts(store, providerNamespace, clock);
  return { answer, alerts, countAlerts: () => store.countAlerts(), generatedToken, scanner, faults, close };
}

/** Undefined when nobody asks for faults, now or later: then nothing stands before the routes. */
async function readFaults({ faultsFile, faults, admin, log }: AlertsServiceOptions): Promise<FaultScript | undefined> {
  if (admin) checkAdminOptions(admin);
  if (faultsFile === undefined && faults === undefined) return admin && noFaults;
  const script = faultsFile === undefined ? demandFaultScript(faults, 'document') : await readFaultScript(faultsFile);
  log.warn({ rules: script.rules.length, seed: script.seed }, 'faults are on');
  return script;
}

/** Only into an empty store: a restart must not undo what was changed since. The seed is checked in any case. */
function loadSeed(
  document: unknown,
  store: AlertStore,
  { providerNamespace }: ServiceSettings,
  { seedFile = 'document', clock, log }: AlertsServiceOptions,
): void {
  const scopes = decodeSeed(document, seedFile, { providerNamespace, nowMs: clock.now() });
  const facts = { scopes: scopes.length, alerts: scopes.reduce((sum, { alerts }) => sum + alerts.length, 0) };
  if (!store.isEmpty()) {
    log.info(facts, 'seed not loaded: the store holds alerts already');
    return;
  }
  store.together(() => {
    for (const { scope, alerts } of scopes) {
      store.addScope(scope);
      for (const alert of alerts) store.putAlert(scope, alert);
    }
  });
  log.info(facts, 'seed loaded');
}
