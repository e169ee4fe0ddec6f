// A hundred edits a second while nothing waits for their effect: what they cost, how many of them wait for their PATCH, and for how long.
import { setTimeout as delay } from 'node:timers/promises';

import { renderComparison, type Measure } from './compare.ts';
import { editInterval, turnOff } from './edits.ts';
import { afterFirstRound } from './first-round.ts';
import type { FleetPlace } from './fleet-place.ts';
import { readUsage, type Program } from './programs.ts';
import type { Setup } from './setup.ts';
import { describeFleet, fleetOf } from './shapes.ts';
import { median, percentile } from './statistics.ts';
import type { Findings } from './table.ts';
import { waitFor } from './wait.ts';

const shape = fleetOf(1000);
const editsPerSecond = 100;

interface Churn {
  /** Until the API server has answered every edit: longer than planned if the machine cannot keep up. */
  readonly answeredSeconds: number;
  readonly seconds: number;
  readonly edits: number;
  readonly cpuSeconds: number;
  readonly apiServerCpuSeconds: number;
  readonly lists: number;
  /** The most edits that waited for their PATCH at the same time. */
  readonly backlog: number;
  /** From the API server's response to the edit until the PATCH is on the wire. */
  readonly timesMs: readonly number[];
}

export async function measureChurn(setup: Setup, seconds: number): Promise<Findings> {
  const subjects: { name: string; results: Churn[] }[] = [];
  for (const side of setup.sides) {
    const name = `churn-${side.key}`;
    const result = await afterFirstRound(setup, { side, name, shape }, ({ place, operator }) =>
      churn(setup, place, operator, seconds),
    );
    subjects.push({ name: side.name, results: [result] });
  }
  const title = `${describeFleet(shape)}, ${editsPerSecond} edits a second for ${seconds} s, each of a policy whose alert drifted`;
  return { text: renderComparison(title, subjects, measures), wrong: [] };
}

async function churn(setup: Setup, place: FleetPlace, operator: Program, seconds: number): Promise<Churn> {
  const waiting = watchPatches(place);
  const before = {
    operator: operator.usage(),
    apiServer: readUsage(setup.apiServerPid),
    lists: place.service.answered.GET,
  };
  const startMs = performance.now();
  const edits: Promise<void>[] = [];
  let backlog = 0;
  for (let count = 0; count < seconds * editsPerSecond; count += 1) {
    edits.push(edit(setup, place, count, waiting));
    backlog = Math.max(backlog, waiting.count());
    await delay(Math.max(0, startMs + ((count + 1) * 1000) / editsPerSecond - performance.now()));
  }
  await Promise.all(edits);
  const answeredSeconds = (performance.now() - startMs) / 1000;
  await waitFor(
    'the PATCH of every edit',
    { withinMs: 120_000, everyMs: 10 },
    () => waiting.count() === 0 || undefined,
  );
  return {
    seconds: (performance.now() - startMs) / 1000,
    answeredSeconds,
    edits: edits.length,
    cpuSeconds: operator.usage().cpuSeconds - before.operator.cpuSeconds,
    apiServerCpuSeconds: readUsage(setup.apiServerPid).cpuSeconds - before.apiServer.cpuSeconds,
    lists: place.service.answered.GET - before.lists,
    backlog,
    timesMs: waiting.timesMs,
  };
}

/** Every policy in turn; the interval differs from that of the policy's last edit. */
async function edit(setup: Setup, place: FleetPlace, count: number, waiting: Waiting): Promise<void> {
  const policy = place.policies[count % place.policies.length];
  if (!policy) return;
  await turnOff(place.service.url, policy.scope, policy.alerts[0] ?? '');
  waiting.begin(policy.scope);
  await editInterval(setup, place.namespace, policy.name, `${61 + Math.floor(count / place.policies.length)}m`);
  waiting.answered(policy.scope);
}

interface Waiting {
  readonly timesMs: readonly number[];
  /** Edits whose answer came and whose PATCH did not. */
  count(): number;
  /** Before the edit is sent. */
  begin(scope: string): void;
  /** The API server has answered the edit. */
  answered(scope: string): void;
}

/** The PATCH may come before the response to its edit was read: such an edit took no time. */
function watchPatches(place: FleetPlace): Waiting {
  const open = new Map<string, { answeredMs?: number; sentMs?: number }>();
  const timesMs: number[] = [];
  const end = (scope: string) => {
    const { answeredMs, sentMs } = open.get(scope) ?? {};
    if (answeredMs === undefined || sentMs === undefined) return;
    open.delete(scope);
    timesMs.push(Math.max(0, sentMs - answeredMs));
  };
  place.tap.onSent = (chunk) => {
    const [, scope = ''] = /^PATCH \/(\S+)\/providers\//.exec(chunk.subarray(0, 200).toString()) ?? [];
    const edit = open.get(scope);
    if (edit) edit.sentMs ??= performance.now();
    end(scope);
  };
  return {
    timesMs,
    count: () => [...open.values()].filter(({ answeredMs }) => answeredMs !== undefined).length,
    begin: (scope) => void open.set(scope, {}),
    answered(scope) {
      const edit = open.get(scope);
      if (edit) edit.answeredMs = performance.now();
      end(scope);
    },
  };
}

const measures: readonly Measure<Churn>[] = [
  { name: 'edits', unit: '', digits: 0, of: ({ edits }) => edits },
  { name: 'until every one is answered', unit: 's', digits: 2, of: ({ answeredSeconds }) => answeredSeconds },
  { name: 'until every one has its PATCH', unit: 's', digits: 2, of: ({ seconds }) => seconds },
  { name: 'most edits that waited at a time', unit: '', digits: 0, of: ({ backlog }) => backlog },
  { name: 'edit to PATCH, median', unit: 'ms', digits: 1, of: ({ timesMs }) => median(timesMs) },
  { name: 'edit to PATCH, 95 of 100', unit: 'ms', digits: 1, of: ({ timesMs }) => percentile(timesMs, 0.95) },
  { name: 'edit to PATCH, 99 of 100', unit: 'ms', digits: 1, of: ({ timesMs }) => percentile(timesMs, 0.99) },
  { name: 'LISTs per edit', unit: '', digits: 2, of: ({ lists, edits }) => lists / edits },
  { name: 'CPU per edit', unit: 'ms', digits: 2, of: ({ cpuSeconds, edits }) => (cpuSeconds * 1000) / edits },
  {
    name: "API server's CPU per edit",
    unit: 'ms',
    digits: 2,
    of: ({ apiServerCpuSeconds, edits }) => (apiServerCpuSeconds * 1000) / edits,
  },
];
