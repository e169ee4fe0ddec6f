// Lists of a scope that is asked for again and again, next to a bare `node:http` server that sends the same bytes, by turns in one run.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { request } from 'undici';

import { alertText, storeAlert, type StoredAlert } from '../../../../src/service/alerts/alert-document.ts';
import { type Measure, median, renderComparison } from '../compare.ts';
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
const requestsOf = ({ bytes }: PageSize) => (bytes > 10_000 ? 10_000 : 30_000);

/** Node goes on compiling a server of this size for some ten seconds of load; until then its throughput rises from round to round. */
const warmingRounds = 4;

/** Passes of a round at one rate. */
const pacedPasses = 5;

/** A single pause of the machine, or the collection of garbage before it, decides the 99th percentile of a pass: many short ones. */
const pacedSeconds = 2;

const bareName = 'node:http';

interface Subject {
  readonly name: string;
  readonly started: Started;
  readonly sent: Sent;
  readonly results: Load[];
}

/** A table for each size. */
export async function measureLists(bench: ServiceBench): Promise<string> {
  const tables: string[] = [];
  for (const size of pageSizes) tables.push(await measureSize(bench, size));
  return tables.join('\n');
}

async function measureSize(bench: ServiceBench, size: PageSize): Promise<string> {
  const subjects = await startSubjects(bench, size);
  let paced: string;
  try {
    for (let round = 0; round < warmingRounds + bench.rounds; round++) {
      for (const subject of subjects) {
        const { started, sent, results } = subject;
        const result = await load(started.url, requestsOf(size), 200, () => sent);
        if (round >= warmingRounds) results.push(result);
      }
    }
    paced = await measurePaced(bench, size, subjects);
  } finally {
    for (const { started } of subjects) await started.program.stop();
  }
  return [renderComparison(`lists of ${size.name}`, subjects, measures), paced].join('\n');
}

/** The latency of this side and of the bare server at one rate: half of what this side reaches. */
async function measurePaced(bench: ServiceBench, size: PageSize, subjects: readonly Subject[]): Promise<string> {
  const [ours] = subjects;
  const bare = subjects.find(({ name }) => name === bareName);
  if (!ours || !bare) return '';
  const rate = median(ours.results.map((one) => one.requestsPerSecond)) / 2;
  const compared = [ours, bare].map((subject) => ({ name: subject.name, subject, results: [] as Load[] }));
  for (let pass = 0; pass < bench.rounds * pacedPasses; pass++) {
    for (const { subject, results } of pass % 2 === 0 ? compared : compared.toReversed()) {
      const { started, sent } = subject;
      results.push(await load(started.url, Math.round(rate * pacedSeconds), 200, () => sent, rate));
    }
  }
  return renderComparison(`lists of ${size.name} at ${Math.round(rate)} requests a second`, compared, pacedMeasures);
}

async function startSubjects(bench: ServiceBench, size: PageSize): Promise<Subject[]> {
  const { folder, sides } = bench;
  const seedFile = join(folder, 'seed.json');
  await writePages(seedFile);
  const services: Subject[] = [];
  for (const side of sides) {
    const dataFile = join(folder, `${side.key}-${size.bytes}.db`);
    const started = await startService(folder, side, dataFile, seedFile);
    services.push({ name: side.name, started, sent: listOf(size, await requestToken(started.url)), results: [] });
  }
  const [ours] = services;
  const bytesFile = join(folder, `list-${size.bytes}.json`);
  if (ours) await writeFile(bytesFile, await bodyOf(ours, size));
  const bare = await startServer(folder, [sourceFile('bare-server.ts'), bytesFile]);
  return [...services, { name: bareName, started: bare, sent: listOf(size, 'none'), results: [] }];
}

function listOf({ scope }: PageSize, token: string): Sent {
  const path = `/${scope}/providers/Vendor.Authorization/roleManagementAlerts?api-version=2022-08-01-preview`;
  return { method: 'GET', path, headers: { authorization: `Bearer ${token}`, accept: 'application/json' } };
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
