// `npm run soak:service`: two processes of the alerts service on one PostgreSQL, with the clock of the system, under load for an hour or
// another number of minutes. After a third of the time one process is killed, after two thirds the server. Exits with 1 for a 500, for any
// other answer that no outage explains, and for an acknowledged update that is lost.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { readCommandLine, refuse } from '../../support/rigs/command-line.ts';
import { newKeyPair } from '../../support/rigs/oauth-rig.ts';
import { newSchema, startPostgres, withClient, type TestPostgres } from '../../support/servers/postgres.ts';
import { Figures } from './figures.ts';
import { createServiceProcess, type ServiceProcess } from './processes.ts';
import { alertNames, operator, publicURL, robotID, runWorkers, scope, user, type WrittenAlert } from './work.ts';

const usage = `npm run soak:service -- [OPTION]: sign-ins, client credentials, signed assertions, lists, updates and scans by two processes of
the alerts service on one PostgreSQL. Kills one process, and later the server. Exits with 1 for a 500 and for a lost update.
SIGINT ends the waiting: what is left of the two kills follows at once, and the figures are those until then.
  --minutes N  the number of minutes (default 60)`;

const { values } = readCommandLine(usage, { options: { minutes: { type: 'string', default: '60' } } });
const minutes = Number(values.minutes);
if (!(minutes >= 1)) refuse(`${values.minutes} is not a number of minutes.`);

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
const delay = (ms: number) => setTimeout(ms, undefined, { signal: interrupted.signal }).catch(() => undefined);

const folder = await mkdtemp(join(tmpdir(), 'rolealerts-soak-'));
const postgres = await startPostgres();
const processes: ServiceProcess[] = [];
try {
  process.exitCode = await soak(postgres);
} finally {
  for (const each of processes) await each.kill();
  await postgres.stop();
  await rm(folder, { recursive: true });
}

async function soak(server: TestPostgres): Promise<number> {
  const databaseURL = await newSchema(server);
  const { privateKey, publicJWK } = await newKeyPair();
  const options = await writeFiles(publicJWK);
  for (let index = 0; index < 2; index++) processes.push(await createServiceProcess(options, databaseURL));
  await Promise.all(processes.map((each) => each.start()));

  const figures = new Figures();
  const alerts = new Map<string, WrittenAlert>(
    alertNames.map((name) => [name, { isActive: false, changes: 0, isChanging: false }]),
  );
  const over = new AbortController();
  const urls = processes.map(({ url }) => url);
  const startedMs = performance.now();
  const working = runWorkers({ urls, robotKey: privateKey, figures, alerts, over: over.signal });
  const thirdMs = (minutes * 60_000) / 3;
  const memory = [await memoryOf(10_000)];
  await delay(thirdMs - 10_000);
  await processes[0]?.kill();
  await delay(2000);
  await processes[0]?.start();
  console.log('one process was killed and started again');
  await delay(thirdMs);
  await server.kill();
  await delay(3000);
  await server.restart();
  console.log('PostgreSQL was killed and started again');
  await delay(thirdMs);
  memory.push(await memoryOf(0));
  over.abort();
  await working;

  console.log(`${((performance.now() - startedMs) / 60_000).toFixed(1)} minutes`);
  for (const line of figures.lines()) console.log(line);
  const scans = processes.map((each) => each.scans());
  console.log(`scans ${scans.join(' and ')}; resident memory ${memory.join(' MiB at the start, ')} MiB at the end`);
  for (const [index, { messages }] of processes.entries()) {
    for (const [message, count] of messages)
      console.log(`log of process ${index + 1}: ${count} × ${message.slice(0, 200)}`);
  }
  if (scans.every((count) => count === 0)) figures.note('no scan succeeded');
  await compareWithTables(databaseURL, alerts, figures);
  const changes = [...alerts.values()].reduce((sum, alert) => sum + alert.changes, 0);
  const isGood = figures.problems.length === 0;
  console.log(isGood ? `no problem, and none of ${changes} acknowledged updates is lost` : figures.problems.join('\n'));
  return isGood ? 0 : 1;
}

async function memoryOf(afterMs: number): Promise<string> {
  await delay(afterMs);
  return (await Promise.all(processes.map(async (each) => (await each.residentMiB()).toFixed(0)))).join(' and ');
}

/** The options of `rolealerts serve`. */
async function writeFiles(robotJWK: object): Promise<readonly string[]> {
  const files = {
    seed: { scopes: { [scope]: { value: alertNames.map((name) => ({ name })) } } },
    registrations: { clients: [operator, { id: robotID, keys: [robotJWK] }], users: [user] },
    scanner: { interval: '5s', source: { file: { path: 'assignments.json' } } },
    assignments: { scopes: Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`scanned${index}`, {}])) },
  };
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, `${name}.json`), JSON.stringify(content));
  }
  const paths = ['seed', 'registrations', 'scanner'].flatMap((name) => [`--${name}`, join(folder, `${name}.json`)]);
  // The comparison needs every record; the default size holds those of less than an hour.
  return [...paths, '--public-url', publicURL, '--rate-limit', '0', '--audit-size', '4096'];
}

/** Each alert has the flag of its last acknowledged update, and the audit trail one record for each change. */
async function compareWithTables(
  databaseURL: string,
  alerts: ReadonlyMap<string, WrittenAlert>,
  figures: Figures,
): Promise<void> {
  const schema = new URL(databaseURL).searchParams.get('search_path');
  const { rows } = await withClient(postgres, (client) =>
    client.query<{ alert_key: string; is_active: number; records: number }>(
      `SELECT alert_key, alert.is_active,
         (SELECT count(*)::integer FROM ${schema}.audit
           WHERE audit.scope_key = alert.scope_key AND audit.alert_key = alert.alert_key AND action = 'update') AS records
       FROM ${schema}.alert WHERE scope_key = $1`,
      [scope],
    ),
  );
  const stored = new Map(rows.map((row) => [row.alert_key, row]));
  for (const [name, { isActive, changes }] of alerts) {
    const row = stored.get(name.toLowerCase());
    if (row?.is_active !== Number(isActive)) figures.note(`${name} has lost its last acknowledged update`);
    if (row?.records !== changes) figures.note(`${name} has ${row?.records} audit records for ${changes} changes`);
  }
}
