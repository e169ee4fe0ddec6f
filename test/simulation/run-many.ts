// Many seeds over several threads. Each seed is a world of its own, so nothing is shared but the counts.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import type { Violation } from './oracles/oracle.ts';
import { type Mode, type SeedResult, traitsOf } from './run-seed.ts';
import { storyOf } from './scenarios/stories.ts';
import { namesOf, plain, type Traits } from './scenarios/traits.ts';

export interface RunManyOptions {
  readonly from: number;
  readonly count: number;
  /** Exactly these, in the place of `from` and `count`. */
  readonly among?: readonly number[] | undefined;
  /** Only seeds whose world has that trait; `count` of them. */
  readonly trait?: keyof Traits | undefined;
  /** Unless given `safety` and `liveness` by turns, and after every fourth seed a directed one. */
  readonly mode: Mode | undefined;
  /** Only directed seeds of that story; `count` of them. */
  readonly story?: string | undefined;
  readonly workers: number;
  /** Seeds that were not begun by then are left out. */
  readonly isOverAtFailure?: boolean;
}

export interface FailedSeed {
  readonly seed: number;
  readonly mode: Mode;
  readonly violations: readonly Violation[];
}

export interface Summary {
  /** Runs, the directed ones included. */
  readonly seeds: number;
  readonly elapsedMs: number;
  readonly events: number;
  readonly requests: number;
  readonly failed: readonly FailedSeed[];
  readonly counts: ReadonlyMap<string, number>;
}

/** What a worker sends back for one seed. */
export type SeedReport = Omit<SeedResult, 'tail'>;

export async function runMany(options: RunManyOptions): Promise<Summary> {
  const { workers } = options;
  const orders = ordersOf(options);
  const seedCount = orders.length;
  const totals = { events: 0, requests: 0 };
  const failed: FailedSeed[] = [];
  const counts = new Map<string, number>();
  const startedMs = performance.now();
  const take = (report: SeedReport) => {
    totals.events += report.events;
    totals.requests += report.requests;
    if (report.violations.length > 0) {
      failed.push(report);
      if (options.isOverAtFailure) orders.length = 0;
    }
    for (const [name, number] of report.counts) counts.set(name, (counts.get(name) ?? 0) + number);
  };
  const lanes = Math.max(1, Math.min(workers, orders.length));
  await Promise.all(Array.from({ length: lanes }, () => runWorker(orders, take)));
  const elapsedMs = performance.now() - startedMs;
  failed.sort((a, b) => a.seed - b.seed);
  return { seeds: seedCount, elapsedMs, ...totals, failed, counts };
}

/** A command for each failed seed that runs it again, with its first violation. */
export function failuresOf({ failed }: Summary): string[] {
  return failed.map(
    ({ seed, mode, violations }) =>
      `npm run simulate -- --seed ${seed} --mode ${mode}: ${violations[0]?.oracle}: ${violations[0]?.what.slice(0, 300)}`,
  );
}

interface Order {
  readonly seed: number;
  readonly mode: Mode;
}

function ordersOf(options: RunManyOptions): Order[] {
  const { mode, trait } = options;
  const isMixed = mode === undefined && trait === undefined;
  return seedsOf(options).flatMap((seed) => [
    { seed, mode: mode ?? modeOf(seed) },
    ...(isMixed && seed % directedShare === 0 ? [{ seed: seed / directedShare, mode: 'directed' as const }] : []),
  ]);
}

const directedShare = 4;

function seedsOf({ from, count, mode, trait, among, story }: RunManyOptions): number[] {
  if (among) return [...among];
  const seeds: number[] = [];
  for (let seed = from; seeds.length < count; seed++) {
    if (story !== undefined && storyOf(seed).name !== story) continue;
    const traits = trait && traitsOf(seed, mode ?? modeOf(seed));
    if (trait === undefined || namesOf(traits ?? plain).includes(`trait ${trait}`)) seeds.push(seed);
  }
  return seeds;
}

function modeOf(seed: number): Mode {
  return seed % 2 === 0 ? 'safety' : 'liveness';
}

/** A seed that has not ended by then never will: it loops without time passing, or waits for an event that never comes. */
const hangAfterMs = 300_000;

/** Takes seeds from the list until it is empty. A thread that hangs is ended, and another one continues. */
async function runWorker(orders: Order[], take: (report: SeedReport) => void): Promise<void> {
  let worker = await startWorker();
  for (let order = orders.shift(); order !== undefined; order = orders.shift()) {
    const report = await runOn(worker, order);
    take(report ?? hung(order));
    if (report) continue;
    await worker.terminate();
    worker = await startWorker();
  }
  await worker.terminate();
}

async function startWorker(): Promise<Worker> {
  const worker = new Worker(new URL('seed-worker.ts', import.meta.url));
  await once(worker, 'message');
  return worker;
}

/** Undefined when the thread hangs. */
async function runOn(worker: Worker, order: Order): Promise<SeedReport | undefined> {
  worker.postMessage(order, []);
  const late = AbortSignal.timeout(hangAfterMs);
  try {
    const [report] = await once(worker, 'message', { signal: late });
    return report as SeedReport;
  } catch (error) {
    if (late.aborted) return undefined;
    throw error;
  }
}

function hung({ seed, mode }: Order): SeedReport {
  const violations = [{ oracle: 'nothing hangs', atMs: 0, what: 'the run never ended' }];
  return { seed, mode, violations, traceHash: '', counts: new Map(), events: 0, requests: 0 };
}
