// The alerts service as a whole: opens the data file, loads the seed, puts the parts together, listens, stops.
// What it answers is decided in routes.ts, what it may be started with in service-options.ts.
import type { DatabaseSync } from 'node:sqlite';

import { startHttpServer } from '../lib/http-server.ts';
import type { SecretText } from '../lib/secret-text.ts';
import { createAlertStore, type AlertStore } from './alert-store.ts';
import { createAuthorization } from './authorization.ts';
import { openDatabase } from './database.ts';
import { createHttpAdapter } from './http-adapter.ts';
import { createLiveAlerts, type LiveAlerts } from './live-alerts.ts';
import { cachePages } from './page-cache.ts';
import { tokenPath } from './resource-path.ts';
import { createRoutes, type Answer } from './routes.ts';
import { decodeSeed, readSeedFile } from './seed.ts';
import { decodeOptions, isLoopback, type AlertsServiceOptions, type ServiceSettings } from './service-options.ts';
import { createTokenEndpoint } from './token-endpoint.ts';
import { createTokenStore } from './token-store.ts';

/** How long requests in flight get to finish when the service stops. */
const stopGraceMs = 2000;

/** The service without a socket, for callers in the same process. */
export interface AlertsService {
  readonly answer: Answer;
  readonly alerts: LiveAlerts;
  /** Present when neither a static token nor a client was named. To be shown once and never logged. */
  readonly generatedToken: SecretText | undefined;
  /** Lets go of the data file. Repetition is harmless. */
  close(): void;
}

export interface RunningAlertsService extends Omit<AlertsService, 'close' | 'answer'> {
  /** The base address of section 4, without a slash at the end. */
  readonly url: string;
  readonly tokenURL: string;
  /** Lets running requests finish, then lets go of the data file. Repetition is harmless. */
  stop(): Promise<void>;
}

/** Throws `OperatorError` `usage` for a bad option, seed or data file, `local` when the address is taken. */
export async function startAlertsService(options: AlertsServiceOptions): Promise<RunningAlertsService> {
  const service = await openAlertsService(options);
  const { answer, alerts, generatedToken } = service;
  const listener = createHttpAdapter({ answer, clock: options.clock, accessLog: options.accessLog });
  const server = await startHttpServer(options.listen, listener).catch((error: unknown) => {
    service.close();
    throw error;
  });
  const { url } = server;
  options.log.info({ url, state: options.dataFile ?? 'memory' }, 'alerts service started');
  if (!isLoopback(options.listen)) options.log.warn({ url }, 'tokens travel unencrypted beyond this machine');
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= server.stop(stopGraceMs).then(() => service.close()));
  return { url, tokenURL: `${url}${tokenPath}`, alerts, generatedToken, stop };
}

/** Everything but the socket. */
export async function openAlertsService(options: AlertsServiceOptions): Promise<AlertsService> {
  const settings = decodeOptions(options);
  const document = options.seedFile === undefined ? options.seed : await readSeedFile(options.seedFile);
  const database = openDatabase(options.dataFile);
  try {
    const store = cachePages(createAlertStore(database));
    if (document !== undefined) loadSeed(document, store, settings, options);
    return assemble(database, store, settings, options);
  } catch (error) {
    database.close();
    throw error;
  }
}

function assemble(
  database: DatabaseSync,
  store: AlertStore,
  settings: ServiceSettings,
  { clock, newSecret, log }: AlertsServiceOptions,
): AlertsService {
  const { clients, staticToken, providerNamespace, generatedToken, tokenLifetimeMs: lifetimeMs } = settings;
  const tokens = createTokenStore(database);
  const answer = createRoutes({
    ...settings,
    store,
    authorize: createAuthorization({ staticToken, clients, tokens, clock }),
    answerToken: createTokenEndpoint({ clients, tokens, lifetimeMs, clock, newSecret }),
    clock,
    log,
  });
  const close = () => {
    if (database.isOpen) database.close();
  };
  return { answer, alerts: createLiveAlerts(store, providerNamespace, clock), generatedToken, close };
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
