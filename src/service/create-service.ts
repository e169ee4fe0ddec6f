// The alerts service without a socket: opens the data file, loads the seed, connects the parts. http/routes.ts handles the requests,
// service-options.ts checks the options, and server.ts listens.
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { SecretText } from '../lib/secret-text.ts';
import { checkAdminOptions } from './admin/admin-port.ts';
import type { AlertCounts, AlertStore } from './alerts/alert-store.ts';
import { createPageResponses } from './alerts/page-response.ts';
import { decodeSeed, readSeedFile, type SeedDocument } from './alerts/seed.ts';
import { createSimulatedAlerts, type SimulatedAlerts } from './alerts/simulated-alerts.ts';
import { countSeed, storeSeed } from './alerts/store-seed.ts';
import { openAudit, type Audit } from './audit/open-audit.ts';
import { withoutAudit } from './audit/without-audit.ts';
import { followRegistrations } from './config-files/follow-registrations.ts';
import { readRegistrationsFile } from './config-files/registrations-file.ts';
import type { Database } from './database/database.ts';
import { keepNamespace } from './database/kept-namespace.ts';
import { openDatabase } from './database/open-database.ts';
import { decodeOptions, requireFittingRegistrations } from './decode-options.ts';
import { createEmulator, type Emulator } from './emulator/emulator.ts';
import { requireFaultScript, readFaultScript } from './faults/decode-script.ts';
import { noFaults, type FaultScript } from './faults/fault.ts';
import { createFaults, type Faults } from './faults/faults.ts';
import type { CrossOrigin } from './http/cors.ts';
import { createTargetParser } from './http/known-targets.ts';
import { ListTurns } from './http/list-turns.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { createHeadCheck, createRoutes, type HeadCheck, type RequestHandler } from './http/routes.ts';
import { openOAuth } from './oauth/oauth.ts';
import type { Registered } from './oauth/registrations.ts';
import { silentObserver } from './observer.ts';
import { describedAs } from './openapi/document.ts';
import { openPostgres } from './postgres/open-postgres.ts';
import { createScanner, type Scanner, type ScanReport } from './scanner/scanner.ts';
import type { AlertsServiceOptions, CheckedServiceOptions } from './service-options.ts';

/** The service without a socket, for callers in the same process. */
export interface AlertsService {
  readonly answer: RequestHandler;
  readonly checkHead: HeadCheck;
  readonly alerts: SimulatedAlerts;
  /** Linear in the number of alerts. */
  readonly countAlerts: () => MaybePromise<AlertCounts>;
  /** Present when the options name no static token, client or user. Show it once and never log it. */
  readonly generatedToken: SecretText | undefined;
  /** Undefined without a source of role assignments. Only `startAlertsService` starts it. */
  readonly scanner: Scanner | undefined;
  /** Undefined unless the options name faults or an admin port. */
  readonly faults: Faults | undefined;
  /** Follows the registrations file until the returned function is called. Undefined without a file. */
  readonly follow: (() => () => void) | undefined;
  /** Undefined without an audit trail. Only `startAlertsService` starts its sweep. */
  readonly audit: Audit | undefined;
  /** Undefined unless the options make the service an emulator. */
  readonly emulator: Emulator | undefined;
  /** Adds the headers of CORS to a response that does not come from `answer`. */
  readonly crossOrigin: CrossOrigin;
  /** False while the database is not reachable, and requests get 503. */
  isAvailable(): boolean;
  /** True while the disk of the data file is full, and updates get 507. */
  isReadOnly(): boolean;
  /** Closes the database. Idempotent. */
  close(): MaybePromise<void>;
}

/** Creates the service without a socket. */
export async function createAlertsService(options: AlertsServiceOptions): Promise<AlertsService> {
  const { database: _, ...service } = await createAlertsServiceAt(
    options,
    () => options.publicURL ?? 'http://localhost',
  );
  return service;
}

/** Creates the service for a URL that is known only after it listens. Also returns the database, for the TLS certificate. */
export async function createAlertsServiceAt(
  options: AlertsServiceOptions,
  publicURL: () => string,
): Promise<AlertsService & Pick<Opened, 'database'>> {
  const { registrationsFile } = options;
  const filed = registrationsFile === undefined ? undefined : await readRegistrationsFile(registrationsFile);
  const settings = decodeOptions({ ...options, ...withFiled(options, filed) });
  const { seedFile } = options;
  const seed: SeedDocument = seedFile === undefined ? { document: options.seed } : await readSeedFile(seedFile);
  const script = await readFaults(options);
  const { databaseURL, clock, log } = options;
  const database = databaseURL
    ? await openPostgres(databaseURL, { clock, log })
    : openDatabase(options.dataFile, { clock, log });
  try {
    await database.whileStarting(async () => {
      await keepNamespace(database, settings.providerNamespace);
      if (seed.document !== undefined) await loadSeed(seed, database.alerts, settings, options);
    });
    return { database, ...(await assemble({ database, settings, seed, script, publicURL, filed }, options)) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The registrations of the options and of the file. */
function withFiled(
  { clients = [], users = [] }: Partial<Registered>,
  filed: Registered = { clients: [], users: [] },
): Registered {
  return { clients: [...clients, ...filed.clients], users: [...users, ...filed.users] };
}

interface Opened {
  readonly database: Database;
  readonly settings: CheckedServiceOptions;
  readonly seed: SeedDocument;
  readonly script: FaultScript | undefined;
  readonly publicURL: () => string;
  readonly filed: Registered | undefined;
}

async function assemble(
  { database, settings, seed, script, publicURL, filed }: Opened,
  options: AlertsServiceOptions,
): Promise<AlertsService> {
  const {
    clock,
    newSecret,
    log,
    requestsPerSecond,
    publicURL: publicOrigin,
    dataFile,
    databaseURL,
    scanner: scannerOptions,
    observer = silentObserver,
    registrationsFile: file = '',
  } = options;
  const { sql, scanTurns } = database;
  const isAudited = settings.auditRetentionMs > 0;
  const store = isAudited ? database.alerts : withoutAudit(database.alerts);
  const rateLimit = createRateLimit(requestsPerSecond, clock);
  const newAttemptCounters = () => database.createAttemptCounters(clock);
  const shared = { sql, publicURL, rateLimit, newAttemptCounters, clock, newSecret, log, observer };
  const oauth = await openOAuth({ ...settings, ...shared, isShared: databaseURL !== undefined });
  const description = () => describedAs({ ...settings, serverURL: publicURL(), authURL: publicURL() });
  const endpoints = { ...oauth.endpoints, openapi: description };
  const parseTarget = createTargetParser(settings.providerNamespace);
  const remembered = { parseTarget, pageResponses: createPageResponses(), listTurns: new ListTurns() };
  const shown = { ...remembered, endpoints, publicOrigin };
  const deps = { ...settings, ...shown, authorize: oauth.authorize, store, rateLimit, clock, log };
  const faults = script && createFaults(deps, script);
  const handle = faults?.answer ?? createRoutes(deps);
  const { crossOrigin } = oauth;
  const answer: RequestHandler = (request) => {
    const answered = handle(request);
    return answered instanceof Promise
      ? answered.then((late) => crossOrigin(request, late))
      : crossOrigin(request, answered);
  };
  const checkHead = createHeadCheck(deps);
  const { providerNamespace, generatedToken } = settings;
  const onScanned = (report: ScanReport | undefined) =>
    observer.scanEnded(report ? 'succeeded' : 'failed', report?.raised ?? 0);
  const scanner =
    scannerOptions &&
    createScanner({ ...scannerOptions, store, sql, scanTurns, providerNamespace, isAudited, clock, log, onScanned });
  const audit = openAudit({
    sql,
    order: database.auditOrder,
    retentionMs: settings.auditRetentionMs,
    isInMemory: dataFile === undefined && databaseURL === undefined,
    clock,
    log,
  });
  const close = () => {
    void scanner?.stop();
    void audit?.sweep.stop();
    faults?.stop();
    return database.close();
  };
  const onNew = (found: Registered) => {
    const registered = withFiled(options, found);
    requireFittingRegistrations(registered);
    oauth.replaceRegistrations(registered);
  };
  const follow = filed && (() => followRegistrations({ file, filed, onNew, clock, log }));
  const isAvailable = () => database.isAvailable();
  const isReadOnly = () => database.isReadOnly();
  const emulator =
    faults && options.emulatorClock
      ? createEmulator({ store, faults, script, seed, providerNamespace, isAudited, clock: options.emulatorClock })
      : undefined;
  const alerts = createSimulatedAlerts(store, providerNamespace, clock);
  return {
    answer,
    checkHead,
    alerts,
    countAlerts: () => store.countAlerts(),
    generatedToken,
    scanner,
    faults,
    audit,
    emulator,
    crossOrigin,
    follow,
    isAvailable,
    isReadOnly,
    close,
  };
}

/** Undefined without faults and without an admin port; then requests go to the routes directly. */
async function readFaults({ faultsFile, faults, admin, log }: AlertsServiceOptions): Promise<FaultScript | undefined> {
  if (admin) checkAdminOptions(admin);
  if (faultsFile === undefined && faults === undefined) return admin && noFaults;
  const script = faultsFile === undefined ? requireFaultScript(faults, 'document') : await readFaultScript(faultsFile);
  log.warn({ rules: script.rules.length, seed: script.seed }, 'fault injection enabled');
  return script;
}

/** Loads the seed into an empty store only, so that a restart does not undo later changes. Always checks the seed. */
async function loadSeed(
  { document, text }: SeedDocument,
  store: AlertStore,
  { providerNamespace }: CheckedServiceOptions,
  { seedFile = 'document', clock, log }: AlertsServiceOptions,
): Promise<void> {
  const scopes = decodeSeed(document, seedFile, { providerNamespace, nowMs: clock.now() }, text);
  const isLoaded = await store.transaction(async (tx) => {
    if (!(await tx.isEmpty())) return false;
    await storeSeed(tx, scopes);
    return true;
  });
  log.info(countSeed(scopes), isLoaded ? 'seed loaded' : 'seed not loaded: the store is not empty');
}
