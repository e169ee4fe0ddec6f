// The start of the alerts service without a socket: checks the options, reads the files, opens the database and loads the seed.
// assemble-service.ts connects the parts, and server.ts listens.
import { checkAdminOptions } from './admin/admin-port.ts';
import type { AlertsService } from './alerts-service.ts';
import type { AlertStore } from './alerts/alert-store.ts';
import { decodeSeed, readSeedFile, type SeedDocument } from './alerts/seed.ts';
import { storeSeed } from './alerts/store-seed.ts';
import { assembleService, withFiled } from './assemble-service.ts';
import { readRegistrationsFile } from './config-files/registrations-file.ts';
import type { Database } from './database/database.ts';
import { keepNamespace } from './database/kept-namespace.ts';
import { openDatabase } from './database/open-database.ts';
import { decodeOptions } from './decode-options.ts';
import { requireFaultScript, readFaultScript } from './faults/decode-script.ts';
import { noFaults, type FaultScript } from './faults/fault.ts';
import { openPostgres } from './postgres/open-postgres.ts';
import type { AlertsServiceOptions, CheckedServiceOptions } from './service-options.ts';

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
): Promise<AlertsService & { readonly database: Database }> {
  const { registrationsFile } = options;
  const filed = registrationsFile === undefined ? undefined : await readRegistrationsFile(registrationsFile);
  const settings = decodeOptions({ ...options, ...withFiled(options, filed) });
  const { seedFile } = options;
  const seed: SeedDocument = seedFile === undefined ? { document: options.seed } : await readSeedFile(seedFile);
  const script = await readFaults(options);
  const { databaseURL, clock, log } = options;
  const database = databaseURL ? await openPostgres(databaseURL, { clock, log }) : openDatabase(options.dataFile);
  try {
    await database.whileStarting(async () => {
      await keepNamespace(database, settings.providerNamespace);
      if (seed.document !== undefined) await loadSeed(seed, database.alerts, settings, options);
    });
    // Nothing else may keep the seed in memory: it is many times as large as its file.
    const resetTo = options.emulatorClock && seed;
    const opened = { options, settings, database, seed: resetTo, script, publicURL, filed };
    return { database, ...(await assembleService(opened)) };
  } catch (error) {
    await database.close();
    throw error;
  }
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
  const nowMs = clock.now();
  const { isEmpty, counts } = await store.transaction(async (tx) => {
    const isEmpty = await tx.isEmpty();
    const seeded = decodeSeed(document, seedFile, { providerNamespace, nowMs }, text);
    return { isEmpty, counts: await storeSeed(isEmpty ? tx : undefined, seeded) };
  });
  log.info(counts, isEmpty ? 'seed loaded' : 'seed not loaded: the store is not empty');
}
