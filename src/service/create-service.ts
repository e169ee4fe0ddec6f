// The alerts service without a socket: opens the data file, loads the seed, puts the parts together. What it answers is decided in
// routes.ts, what it may be started with in service-options.ts; listening is service.ts's.
import type { DatabaseSync } from 'node:sqlite';

import type { SecretText } from '../lib/secret-text.ts';
import { checkAdminOptions } from './admin/admin-port.ts';
import { createAlertStore, type AlertCounts, type AlertStore } from './alerts/alert-store.ts';
import { cachePages } from './alerts/page-cache.ts';
import { decodeSeed, readSeedFile } from './alerts/seed.ts';
import { createSimulatedAlerts, type SimulatedAlerts } from './alerts/simulated-alerts.ts';
import { openDatabase } from './database.ts';
import { requireFaultScript, readFaultScript } from './faults/decode-script.ts';
import { noFaults, type FaultScript } from './faults/fault.ts';
import { createFaults, type Faults } from './faults/faults.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { createRoutes, type RequestHandler } from './http/routes.ts';
import { openOAuth } from './oauth/oauth.ts';
import { silentObserver } from './observer.ts';
import { describedAs } from './openapi/document.ts';
import { createScannedScopes } from './scanner/scanned-scopes.ts';
import { createScanner, type Scanner, type ScanReport } from './scanner/scanner.ts';
import { decodeOptions, type AlertsServiceOptions, type ServiceSettings } from './service-options.ts';

/** The service without a socket, for callers in the same process. */
export interface AlertsService {
  readonly answer: RequestHandler;
  readonly alerts: SimulatedAlerts;
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

/** Everything but the socket. */
export async function createAlertsService(options: AlertsServiceOptions): Promise<AlertsService> {
  const { database: _, ...service } = await createAlertsServiceAt(
    options,
    () => options.publicURL ?? 'http://localhost',
  );
  return service;
}

/** The same at an address that is known once it listens, with the data file for what belongs to the socket. */
export async function createAlertsServiceAt(
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
  const endpoints = { ...oauth.endpoints, openapi: description };
  const parts = { ...settings, authorize: oauth.authorize, endpoints, store, rateLimit, clock, log };
  const faults = script && createFaults(parts, script);
  const answer = faults?.answer ?? createRoutes(parts);
  const { providerNamespace, generatedToken } = settings;
  const scannedScopes = createScannedScopes(database);
  const onScanned = (report: ScanReport | undefined) =>
    observer.scanEnded(report ? 'succeeded' : 'failed', report?.raised ?? 0);
  const scanner =
    scannerOptions &&
    createScanner({ ...scannerOptions, store, scannedScopes, providerNamespace, clock, log, onScanned });
  const close = () => {
    void scanner?.stop();
    faults?.stop();
    if (database.isOpen) database.close();
  };
  const alerts = createSimulatedAlerts(store, providerNamespace, clock);
  return { answer, alerts, countAlerts: () => store.countAlerts(), generatedToken, scanner, faults, close };
}

/** Undefined when nobody asks for faults, now or later: then nothing stands before the routes. */
async function readFaults({ faultsFile, faults, admin, log }: AlertsServiceOptions): Promise<FaultScript | undefined> {
  if (admin) checkAdminOptions(admin);
  if (faultsFile === undefined && faults === undefined) return admin && noFaults;
  const script = faultsFile === undefined ? requireFaultScript(faults, 'document') : await readFaultScript(faultsFile);
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
