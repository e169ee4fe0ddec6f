// The effect of a scan on clients of the service: through the list of section 4.1, beside updates of section 4.2.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import type { Scanner } from '../../src/service/scanner.ts';
import { createFileSource } from '../../src/service/scanner/file-source.ts';
import { alertKinds } from '../../src/service/scanner/kinds.ts';
import { scannerWith } from '../../src/service/scanner/scanner.ts';
import { noOwnersAllowed } from '../support/builders/assignments.ts';
import { newFolder } from '../support/rigs/new-folder.ts';
import { startService, json } from '../support/servers/alerts-service-cases.ts';
import { apiVersion, handClock, listOf, listPath, type ServiceUnderTest } from '../support/servers/alerts-service.ts';

const scope = 'subscriptions/scanned';
const owners = 'TooManyOwnersAssignedToResource';
const ada = '{role: Owner, assignee: {id: ada, name: Ada}}';
const bob = '{role: Owner, assignee: {id: bob, name: Bob}}';

const assignmentsOf = (...assignments: string[]) => `scopes: {${scope}: {assignments: [${assignments.join(', ')}]}}`;

/** A service whose scanner reads a file of its own; it scans on request. */
async function scanning(text: string, seed?: object) {
  const folder = await newFolder();
  const file = join(folder, 'assignments.yaml');
  await writeFile(file, text);
  const clock = handClock();
  const options = { source: createFileSource(file, ['Owner']), thresholds: noOwnersAllowed, intervalMs: 3_600_000 };
  const service = await startService({ seed: seed ?? { scopes: {} }, scanner: scannerWith(options), clock });
  const scan = async (newText?: string) => {
    if (newText !== undefined) await writeFile(file, newText);
    clock.advance(1000);
    return scannerOf(service).scanNow();
  };
  await scan();
  return { service, scan };
}

function scannerOf({ scanner }: ServiceUnderTest): Scanner {
  if (!scanner) throw new Error('the service has no scanner');
  return scanner;
}

async function listScope(service: ServiceUnderTest) {
  const received = await service.send({ target: `/${scope}${listPath}?${apiVersion}` });
  expect(received.status).toBe(200);
  return listOf(received).value;
}

async function listed(service: ServiceUnderTest, name = owners) {
  const alert = (await listScope(service)).find((each) => each.name === name);
  return { properties: alert?.properties ?? {}, systemData: alert?.systemData };
}

test('a deactivated alert stays inactive until a new incident is found, and is cleared at the end', async () => {
  const { service, scan } = await scanning(assignmentsOf(ada));
  const target = `/${scope}${listPath}/${owners}?${apiVersion}`;
  const turnedOff = { method: 'PATCH', target, headers: json, body: '{"properties":{"isActive":false}}' };
  expect((await service.send(turnedOff)).status).toBe(204);
  const off = await listed(service);
  await scan();
  const still = await listed(service);
  expect(still.properties).toEqual({
    ...off.properties,
    lastScannedDateTime: still.properties['lastScannedDateTime'],
  });
  expect(still.properties['lastScannedDateTime']).not.toBe(off.properties['lastScannedDateTime']);
  expect(still.systemData).toMatchObject({ lastModifiedBy: 'static-token', lastModifiedByType: 'Key' });

  await scan(assignmentsOf(ada, bob));
  const raised = await listed(service);
  expect(raised.properties).toMatchObject({ isActive: true, incidentCount: 2 });
  expect(raised.systemData).toMatchObject({ lastModifiedBy: 'scanner', lastModifiedByType: 'Application' });

  await scan(assignmentsOf());
  expect((await listed(service)).properties).toMatchObject({ isActive: false, incidentCount: 0, alertIncidents: [] });
});

test('the configuration of a seeded alert decides: its thresholds, and whether it is scanned', async () => {
  const configured = (properties: object) => ({ alertConfiguration: { properties } });
  const value = [
    { name: owners, properties: configured({ thresholdNumberOfOwners: 2 }) },
    { name: alertKinds[0], properties: { ...configured({ isEnabled: false }), lastScannedDateTime: 'never' } },
  ];
  const { service, scan } = await scanning(assignmentsOf(ada), { scopes: { [scope]: { value } } });
  expect((await listed(service)).properties).toMatchObject({ isActive: false, incidentCount: 0 });
  await scan(assignmentsOf(ada, bob));
  expect((await listed(service)).properties).toMatchObject({
    isActive: true,
    incidentCount: 2,
    alertConfiguration: { properties: { thresholdNumberOfOwners: 2 } },
  });
  expect((await listed(service, alertKinds[0])).properties).toMatchObject({
    isActive: false,
    alertIncidents: [],
    lastScannedDateTime: 'never',
  });
});
