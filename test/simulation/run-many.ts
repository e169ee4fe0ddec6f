// Many seeds over several threads. Each seed is a world of its own, so nothing is shared but the counts.
import { Worker } from 'node:worker_threads';

import type { Violation } from './oracles/oracle.ts';
import type { Mode, SeedResult } from './run-seed.ts';
import { countIn } from './tally.ts';

export interface RunManyOptions {
  readonly from: number;
  readonly count: number;
  /** Both by turns unless given. */
  readonly mode: Mode | undefined;
  readonly workers: number;
}

export interface FailedSeed {
  readonly seed: number;
  readonly mode: Mode;
  readonly violations: readonly Violation[];
}

export interface Summary {
  readonly seeds: number;
  readonly elapsedMs: number;
  readonly events: number;
  readonly requests: number;
  readonly failed: readonly FailedSeed[];
  readonly counts: ReadonlyMap<string, number>;
  readonly branches: ReadonlyMap<string, number>;
}

/** What a worker sends back for one seed. */
export type SeedReport = Omit<SeedResult, 'tail'>;

export async function runMany(options: RunManyOptions): Promise<Summary> {
  const { from, count, mode, workers } = options;
  const seeds = Array.from({ length: count }, (_, index) => from + index);
  const totals = { events: 0, requests: 0 };
  const failed: FailedSeed[] = [];
  const counts = new Map<string, number>();
  const branches = new Map<string, number>();
  const startedMs = performance.now();
  const take = (report: SeedReport) => {
    totals.events += report.events;
    totals.requests += report.requests;
    if (report.violations.length > 0) failed.push(report);
    for (const [name, number] of report.counts) add(counts, name, number);
    for (const [name, number] of report.branches) add(branches, name, number);
  };
  const lanes = Math.max(1, Math.min(workers, seeds.length));
  await Promise.all(Array.from({ length: lanes }, () => runWorker(seeds, mode, take)));
  const elapsedMs = performance.now() - startedMs;
  failed.sort((a, b) => a.seed - b.seed);
  return { seeds: count, elapsedMs, ...totals, failed, counts, branches };
}

/** Takes seeds from the list until it is empty. */
function runWorker(seeds: number[], mode: Mode | undefined, take: (report: SeedReport) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('seed-worker.ts', import.meta.url));
    const next = () => {
      const seed = seeds.shift();
      if (seed === undefined) void worker.terminate().then(() => resolve());
      else worker.postMessage({ seed, mode: mode ?? (seed % 2 === 0 ? 'safety' : 'liveness') });
    };
    worker.on('message', (report: SeedReport | 'ready') => {
      if (report !== 'ready') take(report);
      next();
    });
    worker.on('error', reject);
  });
}

function add(counts: Map<string, number>, name: string, number: number): void {
  if (number === 1) countIn(counts, name);
  else counts.set(name, (counts.get(name) ?? 0) + number);
}
