// Lists of a scope that is asked for again and again, next to a bare `node:http` server that sends the same bytes, by turns in one run.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { request } from 'undici';

import { alertText, storeAlert, type StoredAlert } from '../../../../src/service/alerts/alert-document.ts';
import { type Measure, renderComparison } from '../compare.ts';
import type { Sent } from './connection.ts';
import { load, type Load } from './load.ts';
import { requestToken, type ServiceBench, sourceFile, type Started, startServer, startService } from './servers.ts';

const measures: readonly Measure<Load>[] = [
  { name: 'throughput', unit: '/s', digits: 0, of: (one) => one.requestsPerSecond, goal: '≥ 0.65 of bare' },
];

const pacedMeasures: readonly Measure<Load>[] = [
  { name: '99 of 100 within', unit: 'ms', digits: 2, of: (one) => one.p99Ms, goal: '≤ 2 of bare' },
];

/** About the same time for both sizes. */
const requestsOf = ({ bytes }: PageSize) => (bytes > 10_000 ? 2500 : 7500);

/** Node goes on compiling a server of this size for some ten seconds of load, with many requests at a time and again with one by one. */
const warmingRounds = 20;

/** A pause of the machine decides the 99th percentile of a round, and so does a change of its speed every few seconds: many short ones. */
const pacedSeconds = 0.5;

const bareName = 'node:http';

interface Subject {
  readonly name: string;
  readonly started: Started;
  readonly sent: Sent;
  readonly results: Load[];
  /** At half of what this side reaches. */
  readonly paced: Load[];
}

/** A table for each size. */
export async function measureLists(bench: ServiceBench): Promise<string> {
  const tables: string[] = [];
  for (const size of pageSizes) tables.push(await measureSize(bench, size));
  return tables.join('\n');
}

async function measureSize(bench: ServiceBench, size: PageSize): Promise<string> {
  const subjects = await startSubjects(bench, size);
  try {
    for (let round = 0; round < warmingRounds; round++) await measureRound(size, subjects);
    for (const { results, paced } of subjects) results.length = paced.length = 0;
    for (let round = 0; round < bench.rounds; round++) await measureRound(size, subjects);
  } finally {
    for (const { started } of subjects) await started.program.stop();
  }
  const halfLoaded = pacedOf(subjects).map(({ name, paced }) => ({ name, results: paced }));
  return [
    renderComparison(`lists of ${size.name}`, subjects, measures),
    renderComparison(`lists of ${size.name} at half load`, halfLoaded, pacedMeasures),
  ].join('\n');
}

/**
 * First without a rate, then this side and the bare server at one rate: half of what this side has just reached, because the speed of a
 * shared machine changes within a run by half.
 */
async function measureRound(size: PageSize, subjects: readonly Subject[]): Promise<void> {
  for (const { started, sent, results } of subjects) {
    results.push(await load(started.url, requestsOf(size), 200, () => sent));
  }
  const compared = pacedOf(subjects);
  const rate = (compared[0]?.results.at(-1)?.requestsPerSecond ?? 0) / 2;
  for (const { started, sent, paced } of compared) {
    paced.push(await load(started.url, Math.round(rate * pacedSeconds), 200, () => sent, rate));
  }
}

/** This side and the bare server. */
function pacedOf(subjects: readonly Subject[]): readonly Subject[] {
  return subjects.filter((subject, index) => index === 0 || subject.name === bareName);
}

async function startSubjects(bench: ServiceBench, size: PageSize): Promise<Subject[]> {
  const { folder, sides } = bench;
  const seedFile = join(folder, 'seed.json');
  await writePages(seedFile);
  const services: Subject[] = [];
  for (const side of sides) {
    const dataFile = join(folder, `${side.key}-${size.bytes}.db`);
    const started = await startService(folder, side, dataFile, seedFile);
    services.push(subjectOf(side.name, started, size, await requestToken(started.url)));
  }
  const [ours] = services;
  const bytesFile = join(folder, `list-${size.bytes}.json`);
  if (ours) await writeFile(bytesFile, await bodyOf(ours, size));
  const bare = await startServer(folder, [sourceFile('bare-server.ts'), bytesFile]);
  return [...services, subjectOf(bareName, bare, size, 'none')];
}

function subjectOf(name: string, started: Started, { scope }: PageSize, token: string): Subject {
  const path = `/${scope}/providers/Vendor.Authorization/roleManagementAlerts?api-version=2022-08-01-preview`;
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  return { name, started, sent: { method: 'GET', path, headers }, results: [], paced: [] };
}

async function bodyOf({ started, sent }: Subject, { bytes }: PageSize): Promise<string> {
  const response = await request(`${started.url}${sent.path}`, { headers: sent.headers });
  const text = await response.body.text();
  if (text.length !== bytes) throw new Error(`the list has ${text.length} bytes instead of ${bytes}`);
  return text;
}

/** A scope whose list has a given number of bytes. */
interface PageSize {
  readonly name: string;
  readonly scope: string;
  readonly bytes: number;
  readonly alerts: number;
}

const pageSizes: readonly PageSize[] = [
  { name: '1 KiB', scope: 'subscriptions/small', bytes: 1024, alerts: 1 },
  { name: '64 KiB', scope: 'subscriptions/large', bytes: 65_536, alerts: 50 },
];

/** Writes the pages as a seed of the service, which every version reads. */
async function writePages(seedFile: string): Promise<void> {
  const pages = pageSizes.map((size) => {
    return [size.scope, { value: alertsOf(size).map((alert) => JSON.parse(alertText(alert)) as unknown) }] as const;
  });
  await writeFile(seedFile, JSON.stringify({ scopes: Object.fromEntries(pages) }));
}

/** The whole list of such a scope has exactly the bytes of the size. */
function alertsOf(size: PageSize): readonly StoredAlert[] {
  const paddingBytes =
    size.bytes - lengthOf(Array.from({ length: size.alerts }, (_, index) => alertOf(size, index, 0)));
  const each = Math.floor(paddingBytes / size.alerts);
  const ofLast = paddingBytes - each * (size.alerts - 1);
  return Array.from({ length: size.alerts }, (_, index) =>
    alertOf(size, index, index === size.alerts - 1 ? ofLast : each),
  );
}

const lengthOf = (alerts: readonly StoredAlert[]) => `{"value":[${alerts.map(alertText).join(',')}]}`.length;

function alertOf({ scope }: PageSize, index: number, paddingBytes: number): StoredAlert {
  const name = `Alert${String(index).padStart(2, '0')}`;
  const properties = {
    isActive: true,
    alertConfiguration: { name, properties: { alertDefinitionId: name, isEnabled: true } },
    alertDefinition: { name, properties: { displayName: name, description: 'x'.repeat(paddingBytes) } },
  };
  const place = { scope, providerNamespace: 'Vendor.Authorization', nowMs: Date.UTC(2026, 0, 1) };
  return storeAlert({ name, properties }, name, place);
}
