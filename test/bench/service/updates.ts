// Updates of the alerts of one scope, next to a bare `node:http` server that answers 204, and next to SQLite alone, by turns in one run.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { renderComparison } from '../compare.ts';
import { median } from '../statistics.ts';
import { renderRows } from '../table.ts';
import type { Sent } from './connection.ts';
import { alertNames, measureUpdates, scopeName, writeSeed } from './data-file.ts';
import { load, loadMeasures, type Load } from './load.ts';
import { requestToken, sourceFile, startServer, startService, type Started } from './servers.ts';
import type { ServiceBench } from './setup.ts';

const updatesEach = 4000;

interface Subject {
  readonly name: string;
  readonly started: Started;
  readonly token: string;
  readonly results: Load[];
}

export async function measureUpdatesBeside(bench: ServiceBench): Promise<string> {
  const subjects = await startSubjects(bench);
  const sqlite: number[] = [];
  // The first round only warms up.
  for (let round = 0; round <= bench.rounds; round++) {
    for (const { started, token, results } of subjects) {
      const result = await load(started.url, updatesEach, 204, (index) => updateOf(index, token));
      if (round > 0) results.push(result);
    }
    const perSecond = await measureUpdates(join(bench.folder, `sqlite-${round}.db`), updatesEach);
    if (round > 0) sqlite.push(perSecond);
  }
  for (const { started } of subjects) await started.program.stop();
  const ours = median(subjects[0]?.results.map((one) => one.requestsPerSecond) ?? []);
  const alone = {
    name: 'throughput',
    value: `${ours.toFixed(0)} /s`,
    baseline: `${median(sqlite).toFixed(0)} /s`,
    ratio: ours / median(sqlite),
    goal: '≥ 3',
  };
  return [
    renderComparison('updates', subjects, loadMeasures),
    renderRows('updates, next to SQLite alone with one transaction each', [alone], 'service'),
  ].join('\n');
}

async function startSubjects({ folder, sides }: ServiceBench): Promise<Subject[]> {
  const subjects: Subject[] = [];
  const seedFile = join(folder, 'updates.json');
  await writeSeed(seedFile);
  for (const side of sides) {
    const started = await startService(folder, side, join(folder, `${side.key}-updates.db`), ['--seed', seedFile]);
    subjects.push({ name: side.name, started, token: await requestToken(started.url), results: [] });
  }
  const emptyFile = join(folder, 'empty.json');
  await writeFile(emptyFile, '');
  const bare = await startServer(folder, [sourceFile('bare-server.ts'), emptyFile]);
  return [...subjects, { name: 'node:http', started: bare, token: 'none', results: [] }];
}

function updateOf(index: number, token: string): Sent {
  const alert = alertNames[index % alertNames.length];
  const path = `/${scopeName(0)}/providers/Vendor.Authorization/roleManagementAlerts/${alert}`;
  return {
    method: 'PATCH',
    path: `${path}?api-version=2022-08-01-preview`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    // Every fourth request flips the same alert again, so that each one writes.
    body: JSON.stringify({ properties: { isActive: Math.floor(index / alertNames.length) % 2 === 1 } }),
  };
}
