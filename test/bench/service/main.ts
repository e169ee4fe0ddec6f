// `npm run bench:service`: the alerts service next to a bare `node:http` server that returns the same bytes, by turns in one run, and
// next to SQLite alone; then with a hundred thousand scopes. It prints times and ratios, and none of them makes it fail.
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { request } from 'undici';

import { startProgram, type Program } from '../programs.ts';
import { renderRows, type Row } from '../table.ts';
import { waitFor } from '../wait.ts';
import { alertNames, measureUpdates, scopeName, writeDataFile } from './data-file.ts';
import { load, type Load, type Sent } from './load.ts';

const rounds = 5;
const listsEach = 20_000;
const updatesEach = 4000;
const manyScopes = 100_000;

const source = (path: string) => new URL(path, import.meta.url).pathname;
const token = 'token-of-the-bench';
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const collection = (scope: string) => `/${scope}/providers/Vendor.Authorization/roleManagementAlerts`;
const apiVersion = 'api-version=2022-08-01-preview';
const listOf = (scope: string): Sent => ({ method: 'GET', path: `${collection(scope)}?${apiVersion}`, headers });
const updateOf = (index: number): Sent => ({
  method: 'PATCH',
  path: `${collection(scopeName(0))}/${alertNames[index % alertNames.length]}?${apiVersion}`,
  headers,
  // Every fourth request flips the same alert again, so that each one writes.
  body: JSON.stringify({ properties: { isActive: Math.floor(index / alertNames.length) % 2 === 1 } }),
});

const folder = await mkdtemp(join(tmpdir(), 'rolealerts-bench-'));

interface Started {
  readonly program: Program;
  readonly url: string;
  /** From the start of the process to its first line. */
  readonly startMs: number;
}

async function start(...args: readonly string[]): Promise<Started> {
  let url: string | undefined;
  let startMs = 0;
  const program = startProgram({
    args,
    logPath: join(folder, 'log'),
    onLine: (line) => {
      startMs ||= performance.now() - program.startedMs;
      url ??= line;
    },
  });
  return { url: await waitFor('a URL', { withinMs: 60_000, everyMs: 5 }, () => url), program, startMs };
}

const serve = (dataFile: string) =>
  start(
    source('../../../dist/rolealerts.mjs'),
    'serve',
    '--data',
    dataFile,
    '--static-token',
    token,
    '--rate-limit',
    '0',
  );

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

function compare(name: string, ours: readonly Load[], baseline: readonly Load[], goal: string): Row[] {
  const of = (loads: readonly Load[], what: keyof Load) => median(loads.map((one) => one[what]));
  const row = (label: string, what: keyof Load, unit: string, digits: number, wanted = ''): Row => {
    const [value, base] = [of(ours, what), of(baseline, what)];
    const text = (number: number) => `${number.toFixed(digits)} ${unit}`;
    return { name: `${name}, ${label}`, value: text(value), baseline: text(base), ratio: value / base, goal: wanted };
  };
  return [
    row('throughput', 'requestsPerSecond', '/s', 0, goal),
    row('half within', 'p50Ms', 'ms', 2),
    row('99 of 100 within', 'p99Ms', 'ms', 2),
  ];
}

async function measureBeside(): Promise<Row[]> {
  const dataFile = join(folder, 'small.db');
  await writeDataFile(dataFile, 1);
  const ours = await serve(dataFile);
  const { path } = listOf(scopeName(0));
  const bytesFile = join(folder, 'list.json');
  await writeFile(bytesFile, await (await request(`${ours.url}${path}`, { headers })).body.text());
  const bare = await start(source('bare-server.ts'), bytesFile);
  const loads = { lists: [] as Load[], bareLists: [] as Load[], updates: [] as Load[], bareUpdates: [] as Load[] };
  const sqlite: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const lists = await load(ours.url, listsEach, 200, () => listOf(scopeName(0)));
    const bareLists = await load(bare.url, listsEach, 200, () => listOf(scopeName(0)));
    const updates = await load(ours.url, updatesEach, 204, updateOf);
    const bareUpdates = await load(bare.url, updatesEach, 204, updateOf);
    const perSecond = await measureUpdates(join(folder, `sqlite-${round}.db`), updatesEach);
    // The first round only warms up.
    if (round === 0) continue;
    loads.lists.push(lists);
    loads.bareLists.push(bareLists);
    loads.updates.push(updates);
    loads.bareUpdates.push(bareUpdates);
    sqlite.push(perSecond);
  }
  await Promise.all([ours.program.stop(), bare.program.stop()]);
  const updates = median(loads.updates.map((one) => one.requestsPerSecond));
  return [
    ...compare('list', loads.lists, loads.bareLists, '≥ 0.5'),
    ...compare('update', loads.updates, loads.bareUpdates, ''),
    {
      name: 'update, next to SQLite alone',
      value: `${updates.toFixed(0)} /s`,
      baseline: `${median(sqlite).toFixed(0)} /s`,
      ratio: updates / median(sqlite),
      goal: 'near 1',
    },
  ];
}

async function measureMany(): Promise<Row[]> {
  const small = join(folder, 'hundred.db');
  const large = join(folder, 'many.db');
  await writeDataFile(small, 100);
  await writeDataFile(large, manyScopes);
  const rows: Row[] = [
    { name: 'data file', value: mib((await stat(large)).size), baseline: mib((await stat(small)).size) },
  ];
  const [few, many] = [await serve(small), await serve(large)];
  rows.push({
    name: 'start',
    value: `${many.startMs.toFixed(0)} ms`,
    baseline: `${few.startMs.toFixed(0)} ms`,
    goal: '< 2000 ms',
  });
  const hot = { few: [] as Load[], many: [] as Load[] };
  const spread = { few: [] as Load[], many: [] as Load[] };
  for (let round = 0; round < rounds; round++) {
    hot.few.push(await load(few.url, listsEach, 200, () => listOf(scopeName(7))));
    hot.many.push(await load(many.url, listsEach, 200, () => listOf(scopeName(7))));
    spread.few.push(await load(few.url, listsEach, 200, (index) => listOf(scopeName((index * 7919) % 100))));
    spread.many.push(await load(many.url, listsEach, 200, (index) => listOf(scopeName((index * 7919) % manyScopes))));
  }
  const usage = { few: few.program.usage(), many: many.program.usage() };
  await Promise.all([few.program.stop(), many.program.stop()]);
  return [
    ...rows,
    ...compare('list of one scope', hot.many, hot.few, 'near 1'),
    ...compare('list of all scopes by turns', spread.many, spread.few, ''),
    {
      name: 'peak memory',
      value: `${usage.many.peakMiB.toFixed(0)} MiB`,
      baseline: `${usage.few.peakMiB.toFixed(0)} MiB`,
      goal: '< 250 MiB',
    },
  ];
}

function mib(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
}

try {
  console.log(renderRows('next to node:http with the same bytes', await measureBeside(), 'service'));
  console.log(renderRows(`${manyScopes} scopes of four alerts, next to a hundred`, await measureMany(), 'service'));
} finally {
  await rm(folder, { recursive: true });
}
