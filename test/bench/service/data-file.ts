// Data files of a known size, written past the API: through it, a hundred thousand scopes would take minutes.
import { writeFile } from 'node:fs/promises';

import { storeAlert } from '../../../src/service/alerts/alert-document.ts';
import { openDataFile } from '../../../src/service/database/data-file.ts';
import type { Database } from '../../../src/service/database/database.ts';
import { openDatabase } from '../../../src/service/database/open-database.ts';

const providerNamespace = 'Vendor.Authorization';

export const scopeName = (index: number) =>
  `subscriptions/${String(index).padStart(8, '0')}-1bf0-4dda-aec3-cb9272f09590`;

export const alertNames = [
  'TooManyPermanentOwnersAssignedToResource',
  'TooManyOwnersAssignedToResource',
  'RolesAssignedOutsidePrivilegedAccess',
  'DuplicateRoleCreated',
];

/** `scopes` scopes with four alerts of one incident each. */
export async function writeDataFile(file: string, scopes: number): Promise<void> {
  const database = openDatabase(file);
  await writeAlerts(database, scopes);
  await database.close();
}

export async function writeAlerts(database: Database, scopes: number): Promise<void> {
  const nowMs = Date.UTC(2026, 0, 1);
  await database.alerts.transaction(async (tx) => {
    for (let index = 0; index < scopes; index++) {
      const scope = scopeName(index);
      for (const name of alertNames) {
        await tx.putAlert(scope, storeAlert(alertOf(name), name, { scope, providerNamespace, nowMs }));
      }
    }
  });
}

/** The first of these scopes as a seed, which every version of the service reads: a data file is of one version. */
export async function writeSeed(file: string): Promise<void> {
  const scopes = { [scopeName(0)]: { value: alertNames.map(alertOf) } };
  await writeFile(file, JSON.stringify({ scopes }));
}

function alertOf(name: string) {
  const incident = { name: `${name}-1`, properties: { alertIncidentType: `${name}AlertIncident` } };
  return { name, properties: { isActive: true, alertIncidents: [incident] } };
}

/** How many updates a second SQLite makes durable here, one transaction each, with nothing around them. */
export async function measureUpdates(file: string, count: number): Promise<number> {
  await writeDataFile(file, 1);
  const database = openDataFile(file);
  const update = database.prepare('UPDATE alert SET is_active = ?, system_data = ? WHERE position = 1');
  const systemData = JSON.stringify({ lastModifiedBy: 'bench', lastModifiedAt: new Date(0).toISOString() });
  const startMs = performance.now();
  for (let index = 0; index < count; index++) update.run(index % 2, systemData);
  const perSecond = (count * 1000) / (performance.now() - startMs);
  database.close();
  return perSecond;
}
