// A service with a hundred thousand scopes, next to the same one with a hundred.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import { median } from '../statistics.ts';
import { renderRows, type Row } from '../table.ts';
import type { Sent } from './connection.ts';
import { scopeName, writeDataFile } from './data-file.ts';
import { load, type Load } from './load.ts';
import { requestToken, startService } from './servers.ts';
import type { ServiceBench } from './setup.ts';

const listsEach = 20_000;
const manyScopes = 100_000;

export async function measureMany({ folder, sides: [side], rounds }: ServiceBench): Promise<string> {
  const small = join(folder, 'hundred.db');
  const large = join(folder, 'many.db');
  await writeDataFile(small, 100);
  await writeDataFile(large, manyScopes);
  const sizes: Row = {
    name: 'data file',
    value: mib((await stat(large)).size),
    baseline: mib((await stat(small)).size),
  };
  const [few, many] = [await startService(folder, side, small), await startService(folder, side, large)];
  const [fewToken, manyToken] = [await requestToken(few.url), await requestToken(many.url)];
  const hot = { few: [] as Load[], many: [] as Load[] };
  const spread = { few: [] as Load[], many: [] as Load[] };
  for (let round = 0; round < rounds; round++) {
    hot.few.push(await load(few.url, listsEach, 200, () => listOf(7, fewToken)));
    hot.many.push(await load(many.url, listsEach, 200, () => listOf(7, manyToken)));
    spread.few.push(await load(few.url, listsEach, 200, (index) => listOf((index * 7919) % 100, fewToken)));
    spread.many.push(await load(many.url, listsEach, 200, (index) => listOf((index * 7919) % manyScopes, manyToken)));
  }
  const usage = { few: few.program.usage(), many: many.program.usage() };
  await Promise.all([few.program.stop(), many.program.stop()]);
  const rows = [
    sizes,
    {
      name: 'start',
      value: `${many.startMs.toFixed(0)} ms`,
      baseline: `${few.startMs.toFixed(0)} ms`,
      goal: '< 2000 ms',
    },
    ...compare('list of one scope', hot.many, hot.few, 'near 1'),
    ...compare('list of all scopes by turns', spread.many, spread.few, ''),
    {
      name: 'peak memory',
      value: `${usage.many.peakMiB.toFixed(0)} MiB`,
      baseline: `${usage.few.peakMiB.toFixed(0)} MiB`,
      goal: '< 250 MiB',
    },
  ];
  return renderRows(`${manyScopes} scopes of four alerts, next to a hundred`, rows, 'service');
}

function listOf(index: number, token: string): Sent {
  const path = `/${scopeName(index)}/providers/Vendor.Authorization/roleManagementAlerts?api-version=2022-08-01-preview`;
  return { method: 'GET', path, headers: { authorization: `Bearer ${token}` } };
}

function compare(name: string, ours: readonly Load[], baseline: readonly Load[], goal: string): Row[] {
  const row = (label: string, what: keyof Load, unit: string, digits: number, wanted = ''): Row => {
    const [value, base] = [median(ours.map((one) => one[what])), median(baseline.map((one) => one[what]))];
    const text = (number: number) => `${number.toFixed(digits)} ${unit}`;
    return { name: `${name}, ${label}`, value: text(value), baseline: text(base), ratio: value / base, goal: wanted };
  };
  return [
    row('throughput', 'requestsPerSecond', '/s', 0, goal),
    row('half within', 'p50Ms', 'ms', 2),
    row('99 of 100 within', 'p99Ms', 'ms', 2),
  ];
}

function mib(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
}
