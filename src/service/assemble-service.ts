// Connects the parts of the service: what answers a request, and what runs beside the requests.
import type { AlertsService } from './alerts-service.ts';
import type { AlertStore } from './alerts/alert-store.ts';
import { createPageResponses } from './alerts/page-response.ts';
import type { SeedDocument } from './alerts/seed.ts';
import { createSimulatedAlerts } from './alerts/simulated-alerts.ts';
import { openAudit, type Audit } from './audit/open-audit.ts';
import { withoutAudit } from './audit/without-audit.ts';
import { followRegistrations } from './config-files/follow-registrations.ts';
import type { Database } from './database/database.ts';
import { requireFittingRegistrations } from './decode-options.ts';
import { createEmulator, type Emulator } from './emulator/emulator.ts';
import type { FaultScript } from './faults/fault.ts';
import { createFaults, type Faults } from './faults/faults.ts';
import type { CrossOrigin } from './http/cors.ts';
import { createTargetParser } from './http/known-targets.ts';
import { jsonResponse } from './http/message.ts';
import { createRateLimit, type RateLimit } from './http/rate-limit.ts';
import { createHeadCheck, createRoutes, type RequestHandler, type RoutesDeps } from './http/routes.ts';
import { openOAuth, type OAuth } from './oauth/oauth.ts';
import type { Registered } from './oauth/registrations.ts';
import { silentObserver } from './observer.ts';
import { openAPIText } from './openapi.ts';
import type { Scanner, ScanReport } from './scanner.ts';
import type { AlertsServiceOptions, CheckedServiceOptions } from './service-options.ts';

/** What the start has read and opened. */
export interface Opened {
  readonly options: AlertsServiceOptions;
  readonly settings: CheckedServiceOptions;
  readonly database: Database;
  /** What a reset goes back to; undefined unless the service is an emulator. */
  readonly seed: SeedDocument | undefined;
  /** Undefined without faults and without an admin port. */
  readonly script: FaultScript | undefined;
  readonly publicURL: () => string;
  /** The content of the registrations file; undefined without one. */
  readonly filed: Registered | undefined;
}

/** What several parts share. */
interface Shared extends Opened {
  readonly store: AlertStore;
  readonly isAudited: boolean;
  readonly rateLimit: RateLimit;
}

export async function assembleService(opened: Opened): Promise<AlertsService> {
  const { options, settings, database, script } = opened;
  const shared = share(opened);
  const oauth = await connectOAuth(shared);
  const routes = routesDepsOf(shared, oauth);
  const faults = script && createFaults(routes, script);
  const handle = faults?.answer ?? createRoutes(routes);
  const { crossOrigin } = oauth;
  const scanner = connectScanner(shared);
  const audit = connectAudit(shared);
  return {
    answer: withCrossOrigin(handle, crossOrigin),
    checkHead: createHeadCheck(routes),
    crossOrigin,
    alerts: createSimulatedAlerts(shared.store, settings.providerNamespace, options.clock),
    countAlerts: () => shared.store.countAlerts(),
    generatedToken: settings.generatedToken,
    scanner,
    faults,
    audit,
    emulator: connectEmulator(shared, faults, oauth),
    follow: followFile(opened, oauth),
    isAvailable: () => database.isAvailable(),
    close() {
      void scanner?.stop();
      void audit?.sweep.stop();
      faults?.stop();
      return database.close();
    },
  };
}

/** Without a closure for a response that is there at once, because this is the way of every list. */
function withCrossOrigin(handle: RequestHandler, crossOrigin: CrossOrigin): RequestHandler {
  return (request) => {
    const answered = handle(request);
    return answered instanceof Promise
      ? answered.then((late) => crossOrigin(request, late))
      : crossOrigin(request, answered);
  };
}

function share(opened: Opened): Shared {
  const { options, settings, database } = opened;
  const isAudited = settings.auditRetentionMs > 0;
  return {
    ...opened,
    isAudited,
    store: isAudited ? database.alerts : withoutAudit(database.alerts),
    rateLimit: createRateLimit(options.requestsPerSecond, options.clock),
  };
}

function connectOAuth({ options, settings, database, publicURL, rateLimit }: Shared): Promise<OAuth> {
  const { clock, newSecret, log, observer = silentObserver } = options;
  return openOAuth({
    ...settings,
    sql: database.sql,
    publicURL,
    rateLimit,
    clock,
    newSecret,
    log,
    observer,
  });
}

function routesDepsOf({ options, settings, publicURL, store, rateLimit }: Shared, oauth: OAuth): RoutesDeps {
  const { clock, log, publicURL: publicOrigin } = options;
  const description = () =>
    jsonResponse(200, openAPIText({ ...settings, serverURL: publicURL(), authURL: publicURL() }));
  return {
    ...settings,
    endpoints: { ...oauth.endpoints, openapi: description },
    authorize: oauth.authorize,
    parseTarget: createTargetParser(settings.providerNamespace),
    pageResponses: createPageResponses(),
    publicOrigin,
    store,
    rateLimit,
    clock,
    log,
  };
}

function connectScanner({ options, settings, database, store, isAudited }: Shared): Scanner | undefined {
  const { scanner, clock, log, observer = silentObserver } = options;
  if (!scanner) return undefined;
  const { providerNamespace } = settings;
  const { sql, scanTurns } = database;
  const onScanned = (report: ScanReport | undefined) => observer.scanEnded(report ? 'succeeded' : 'failed');
  return scanner({ store, sql, scanTurns, providerNamespace, isAudited, clock, log, onScanned });
}

function connectAudit({ options, settings, database }: Shared): Audit | undefined {
  const { dataFile, databaseURL, clock, log, observer = silentObserver } = options;
  return openAudit({
    sql: database.sql,
    order: database.auditOrder,
    retentionMs: settings.auditRetentionMs,
    mostBytes: settings.auditMiB * 1024 * 1024,
    onSwept: (bytes) => observer.auditSwept(bytes),
    isInMemory: dataFile === undefined && databaseURL === undefined,
    clock,
    log,
  });
}

function connectEmulator(shared: Shared, faults: Faults | undefined, oauth: OAuth): Emulator | undefined {
  const { options, settings, seed, script, store, isAudited } = shared;
  const { emulatorClock: clock } = options;
  if (!faults || !script || !clock || !seed) return undefined;
  return createEmulator({
    store,
    faults,
    script,
    seed,
    providerNamespace: settings.providerNamespace,
    resetLimits: oauth.resetLimits,
    isAudited,
    clock,
  });
}

function followFile({ options, filed }: Opened, oauth: OAuth): AlertsService['follow'] {
  const { registrationsFile: file = '', clock, log } = options;
  const onNew = (found: Registered) => {
    const registered = withFiled(options, found);
    requireFittingRegistrations(registered);
    oauth.replaceRegistrations(registered);
  };
  return filed && (() => followRegistrations(file, { current: filed, onNew, clock, log }));
}

/** The registrations of the options and of the file. */
export function withFiled(
  { clients = [], users = [] }: Partial<Registered>,
  filed: Registered = { clients: [], users: [] },
): Registered {
  return { clients: [...clients, ...filed.clients], users: [...users, ...filed.users] };
}
