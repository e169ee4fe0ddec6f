// Updates of the alerts of one scope, next to a small fastify server that makes each of them durable by itself, by turns in one run.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { renderComparison, type Measure } from '../compare.ts';
import type { Sent } from './connection.ts';
import { load, type Load } from './load.ts';
import { requestToken, type ServiceBench, sourceFile, type Started, startServer, startService } from './servers.ts';

const updatesEach = 1000;

const scope = 'subscriptions/00000000-1bf0-4dda-aec3-cb9272f09590';

const alertNames = [
  'TooManyPermanentOwnersAssignedToResource',
  'TooManyOwnersAssignedToResource',
  'RolesAssignedOutsidePrivilegedAccess',
  'DuplicateRoleCreated',
];

const measures: readonly Measure<Load>[] = [
  { name: 'throughput', unit: '/s', digits: 0, of: (one) => one.requestsPerSecond, goal: '≥ 3 of fastify' },
];

interface Subject {
  readonly name: string;
  readonly started: Started;
  readonly token: string;
  readonly results: Load[];
}

export async function measureUpdatesBeside(bench: ServiceBench): Promise<string> {
  const subjects = await startSubjects(bench);
  for (let round = -4; round < bench.rounds; round++) {
    for (const { started, token, results } of subjects) {
      const result = await load(started.url, updatesEach, 204, (index) => updateOf(index, token));
      if (round >= 0) results.push(result); // The others warm up.
    }
  }
  for (const { started } of subjects) await started.program.stop();
  return renderComparison('updates', subjects, measures);
}

async function startSubjects({ folder, sides }: ServiceBench): Promise<Subject[]> {
  const subjects: Subject[] = [];
  const [seedFile, plainFile] = [join(folder, 'updates.json'), join(folder, 'plain-updates.json')];
  await writeSeed(seedFile, plainFile);
  for (const side of sides) {
    const started = await startService(folder, side, join(folder, `${side.key}-updates.db`), seedFile);
    subjects.push({ name: side.name, started, token: await requestToken(started.url), results: [] });
  }
  const fastify = await startServer(
    folder,
    [sourceFile('fastify-server.ts'), plainFile, join(folder, 'fastify.db')],
    2,
  );
  return [...subjects, { name: 'fastify', started: fastify, token: fastify.lines[1] ?? '', results: [] }];
}

function updateOf(index: number, token: string): Sent {
  const alert = alertNames[index % alertNames.length];
  const path = `/${scope}/providers/Vendor.Authorization/roleManagementAlerts/${alert}`;
  return {
    method: 'PATCH',
    path: `${path}?api-version=2022-08-01-preview`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    // Every fourth request flips the same alert again, so that each one writes.
    body: JSON.stringify({ properties: { isActive: Math.floor(index / alertNames.length) % 2 === 1 } }),
  };
}

/**
 * The scope as a seed, which every version of the service reads because a data file is of one version, and as
 * `{ SCOPE: [ALERT, …] }` without the first word of the scope.
 */
async function writeSeed(seedFile: string, plainFile: string): Promise<void> {
  const value = alertNames.map(alertOf);
  await writeFile(seedFile, JSON.stringify({ scopes: { [scope]: { value } } }));
  await writeFile(plainFile, JSON.stringify({ [scope.replace('subscriptions/', '')]: value }));
}

function alertOf(name: string) {
  const incident = { name: `${name}-1`, properties: { alertIncidentType: `${name}AlertIncident` } };
  return { name, properties: { isActive: true, alertIncidents: [incident] } };
}
