// One, two and four processes on PostgreSQL, next to one process on SQLite and to PostgreSQL alone, by turns in one run. All of them share
// this machine's processors, so more processes are faster only while some are idle.
import { join } from 'node:path';

import pg from 'pg';

import { systemClock } from '../../../../src/lib/clock.ts';
import { silentLogger } from '../../../../src/lib/log.ts';
import { SecretText } from '../../../../src/lib/secret-text.ts';
import { openPostgres } from '../../../../src/service/postgres/open-postgres.ts';
import { newSchema, startPostgres } from '../../../support/servers/postgres.ts';
import { renderComparison } from '../compare.ts';
import { median } from '../statistics.ts';
import { renderRows } from '../table.ts';
import type { Sent } from './connection.ts';
import { alertNames, scopeName, writeAlerts, writeDataFile } from './data-file.ts';
import { load, loadMeasures, type Load } from './load.ts';
import { requestToken, startServiceOn, type Started } from './servers.ts';
import type { ServiceBench } from './setup.ts';

const requestsEach = 4000;
/** Enough that concurrent updates seldom meet. */
const scopes = 64;
const processes = [1, 2, 4];

interface Subject {
  readonly name: string;
  readonly started: readonly Started[];
  readonly token: string;
  readonly updates: Load[];
  readonly lists: Load[];
}

export async function measureProcesses(bench: ServiceBench): Promise<string> {
  const postgres = await startPostgres();
  const alone: number[] = [];
  try {
    const url = await newSchema(postgres);
    const subjects = await startSubjects(bench, url);
    // The first round only warms up.
    for (let round = 0; round <= bench.rounds; round++) {
      for (const subject of subjects) await measureOnce(subject, round > 0);
      const perSecond = await measurePostgresAlone(url);
      if (round > 0) alone.push(perSecond);
    }
    for (const { started } of subjects) await Promise.all(started.map(({ program }) => program.stop()));
    return render(subjects, median(alone));
  } finally {
    await postgres.stop();
  }
}

async function measureOnce({ started, token, updates, lists }: Subject, isCounted: boolean): Promise<void> {
  const urls = started.map(({ url }) => url);
  const updated = await load(urls, requestsEach, 204, (index) => updateOf(index, token));
  const listed = await load(urls, requestsEach, 200, (index) => listOf(index, token));
  if (!isCounted) return;
  updates.push(updated);
  lists.push(listed);
}

async function startSubjects({ folder, sides: [side] }: ServiceBench, url: string): Promise<Subject[]> {
  const dataFile = join(folder, 'processes.db');
  await writeDataFile(dataFile, scopes);
  const database = await openPostgres(new SecretText(url), { clock: systemClock, log: silentLogger });
  await writeAlerts(database, scopes);
  await database.close();
  const start = async (name: string, count: number, state: readonly string[]): Promise<Subject> => {
    const flags = [...state, '--public-url', 'http://bench.test'];
    const started = await Promise.all(Array.from({ length: count }, () => startServiceOn(folder, side, flags)));
    return { name, started, token: await requestToken(started[0]?.url ?? ''), updates: [], lists: [] };
  };
  const subjects = [await start('SQLite', 1, ['--data', dataFile])];
  for (const count of processes) subjects.push(await start(`${count} on PostgreSQL`, count, ['--database', url]));
  return subjects;
}

/** Updates of different rows by ten connections, one transaction each, with nothing around them; per second. */
async function measurePostgresAlone(url: string): Promise<number> {
  const schema = new URL(url).searchParams.get('search_path');
  const plain = new URL(url);
  plain.search = '';
  const clients = Array.from(
    { length: 10 },
    () => new pg.Client({ connectionString: plain.href, options: `-c search_path=${schema}` }),
  );
  await Promise.all(clients.map((client) => client.connect()));
  const startMs = performance.now();
  let begun = 0;
  const work = async (client: pg.Client) => {
    for (let index = begun++; index < requestsEach; index = begun++) {
      const values = [index % 2, '{"lastModifiedBy":"bench"}', (index % (scopes * alertNames.length)) + 1];
      const text = 'UPDATE alert SET is_active = $1, system_data = $2 WHERE position = $3';
      await client.query({ name: 'update', text, values });
    }
  };
  await Promise.all(clients.map(work));
  const perSecond = (requestsEach * 1000) / (performance.now() - startMs);
  await Promise.all(clients.map((client) => client.end()));
  return perSecond;
}

function render(subjects: readonly Subject[], alone: number): string {
  const sides = (of: (subject: Subject) => readonly Load[]) =>
    subjects.map((subject) => ({ name: subject.name, results: of(subject) }));
  const rows = subjects.slice(1).map(({ name, updates }) => {
    const perSecond = median(updates.map((one) => one.requestsPerSecond));
    return { name, value: `${perSecond.toFixed(0)} /s`, baseline: `${alone.toFixed(0)} /s`, ratio: perSecond / alone };
  });
  return [
    renderComparison(
      'updates of processes',
      sides(({ updates }) => updates),
      loadMeasures,
    ),
    renderComparison(
      'lists of processes',
      sides(({ lists }) => lists),
      loadMeasures,
    ),
    renderRows('updates, next to PostgreSQL alone with one transaction each on ten connections', rows, 'service'),
  ].join('\n');
}

function collectionOf(index: number): string {
  return `/${scopeName(index % scopes)}/providers/Vendor.Authorization/roleManagementAlerts`;
}

function listOf(index: number, token: string): Sent {
  const path = `${collectionOf(index)}?api-version=2022-08-01-preview`;
  return { method: 'GET', path, headers: { authorization: `Bearer ${token}` } };
}

/** Every alert in turn, and the other flag in the next turn, so that each update writes. */
function updateOf(index: number, token: string): Sent {
  const turn = Math.floor(index / (scopes * alertNames.length));
  const alert = alertNames[Math.floor(index / scopes) % alertNames.length];
  return {
    method: 'PATCH',
    path: `${collectionOf(index)}/${alert}?api-version=2022-08-01-preview`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ properties: { isActive: turn % 2 === 1 } }),
  };
}
