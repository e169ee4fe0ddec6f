// Data files of a known size, written past the API: through it, a hundred thousand scopes would take minutes.
import { writeFile } from 'node:fs/promises';

import { storeAlert } from '../../../../src/service/alerts/alert-document.ts';
import type { Database } from '../../../../src/service/database/database.ts';
import { openDatabase } from '../../../../src/service/database/open-database.ts';

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

/**
 * The first of these scopes as a seed, which every version of the service reads because a data file is of one version, and as
 * `{ SCOPE: [ALERT, …] }` without the first word of the scope.
 */
export async function writeSeed(seedFile: string, plainFile: string): Promise<void> {
  const value = alertNames.map(alertOf);
  await writeFile(seedFile, JSON.stringify({ scopes: { [scopeName(0)]: { value } } }));
  await writeFile(plainFile, JSON.stringify({ [scopeName(0).replace('subscriptions/', '')]: value }));
}

function alertOf(name: string) {
  const incident = { name: `${name}-1`, properties: { alertIncidentType: `${name}AlertIncident` } };
  return { name, properties: { isActive: true, alertIncidents: [incident] } };
}
