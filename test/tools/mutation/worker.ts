// A process that runs the requested cases with an edit on. It keeps what a case leaves behind, so the runner replaces it now and then.
import { setImmediate as turn } from 'node:timers/promises';

import '../../support/gate/property-seed.ts';
import { installHooks } from './hooks.ts';
import { readMutatedFiles, root, tierOf } from './project.ts';
import { recordInto, stepsTaken, turnOff, turnOn } from './switchboard.ts';
import type { Case } from './vitest-stand-in.ts';
import type { Answer, Order, RecordedCase } from './worker-process.ts';

const mutated = readMutatedFiles(process.argv.slice(2));
installHooks(mutated);
const { collect } = (await import(new URL('vitest-stand-in.ts', import.meta.url).href)) as {
  collect: (load: () => Promise<unknown>) => Promise<Case[]>;
};

const files = new Map<string, Case[]>();
let graphs = 0;
/** By source file: the case that noticed the previous edit. It often notices the next one, too. */
const lastKillers = new Map<string, string>();

/** A late rejection of an edit before this one is nothing to end for. */
process.on('unhandledRejection', () => undefined).on('uncaughtException', () => undefined);

function send(answer: Answer): void {
  process.send?.(answer);
}

async function casesOf(file: string): Promise<Case[]> {
  const known = files.get(file);
  if (known) return known;
  const cases = await collect(() => import(`${root}${file}`));
  files.set(file, cases);
  return cases;
}

/** With all modules anew. */
function collectAnew(file: string): Promise<Case[]> {
  send({ say: 'begin' });
  return collect(() => import(`${root}${file}?graph=${(graphs += 1)}`));
}

async function idsDuring(work: () => Promise<unknown>): Promise<number[]> {
  const ids = new Set<number>();
  recordInto(ids);
  await work();
  recordInto(undefined);
  return [...ids].toSorted((a, b) => a - b);
}

async function importSources(graph: number): Promise<void> {
  for (const { path } of mutated) await import(`${root}${path}?graph=${graph}`);
}

async function record(file: string): Promise<Answer> {
  const cases: RecordedCase[] = [];
  const failed: string[] = [];
  const attempt = async (name: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      failed.push(`${file} > ${name}: ${String(error).slice(0, 300)}`);
    }
  };
  await importSources(graphs + 1);
  let collected: Case[] = [];
  let collectedIds: readonly number[] = [];
  await attempt('import', async () => {
    collectedIds = await idsDuring(async () => (collected = await collectAnew(file)));
  });
  for (const each of collected) await attempt(each.name, async () => void cases.push(await recordCase(file, each)));
  return { say: 'recorded', cases, collectedIds, failed, rssBytes: process.memoryUsage.rss() };
}

const calmMs = 600_000;

async function recordCase(file: string, { name, run }: Case): Promise<RecordedCase> {
  send({ say: 'begin' });
  const stepsBefore = stepsTaken();
  const startMs = performance.now();
  const cpuBefore = process.cpuUsage();
  const ids = await idsDuring(() => runGuarded(run, calmMs));
  const { user, system } = process.cpuUsage(cpuBefore);
  const ms = performance.now() - startMs;
  return { file, name, ms, cpuMs: (user + system) / 1000, steps: stepsTaken() - stepsBefore, ids };
}

async function attempt({ id, path, importedAnew, cases }: Order & { do: 'try' }): Promise<Answer> {
  const keyOf = ({ file, name }: RecordedCase) => `${file} ${name}`;
  const isLikely = (each: RecordedCase) => keyOf(each) === lastKillers.get(path);
  const inOrder = [...cases.filter(isLikely), ...cases.filter((each) => !isLikely(each))];
  const answer = (noticed?: RecordedCase): Answer => {
    const tier = noticed && tierOf(noticed.file);
    if (noticed && tier !== 'simulation') lastKillers.set(path, keyOf(noticed));
    return { say: 'tried', noticed: tier, rssBytes: process.memoryUsage.rss() };
  };
  for (const [file, wanted] of Map.groupBy(inOrder, (each) => each.file)) {
    let collected: Case[];
    try {
      collected = importedAnew.includes(file) ? await importAnew(file, id) : await casesOf(file);
    } catch {
      return answer(wanted[0]);
    }
    for (const recorded of wanted) {
      const run = collected.find(({ name }) => name === recorded.name)?.run;
      if (run && (await fails(run, recorded, id))) return answer(recorded);
    }
  }
  return answer();
}

async function importAnew(file: string, id: number): Promise<Case[]> {
  turnOn(id, 0);
  try {
    return await collectAnew(file);
  } finally {
    turnOff();
  }
}

async function fails(run: Case['run'], { ms, steps }: RecordedCase, id: number): Promise<boolean> {
  send({ say: 'begin' });
  turnOn(id, steps);
  try {
    await runGuarded(run, 10_000 + ms * 30);
    return false;
  } catch {
    return true;
  } finally {
    turnOff();
    await turn();
  }
}

async function carryOut(order: Order): Promise<Answer> {
  if (order.do === 'try') return attempt(order);
  if (order.do === 'record') return record(order.file);
  return { say: 'imported', ids: await idsDuring(() => importSources((graphs += 1))) };
}

process.on('message', (order: Order) => {
  void carryOut(order).then(send);
});
// Nothing is left to do once the runner has ended, however it ended.
process.on('disconnect', () => process.exit());
send({ say: 'ready' });

/**
 * Runs a case so that it always ends, whatever an edit does to the code: with its failure, with an unhandled rejection, or when its time is
 * over. Resolves when the case passed.
 */
async function runGuarded(run: () => Promise<void>, ms: number): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const fail = (error: unknown) => ended.reject(error instanceof Error ? error : new Error(String(error)));
  const timer = setTimeout(() => fail(new Error(`It took longer than ${ms} ms.`)), ms);
  process.on('unhandledRejection', fail).on('uncaughtException', fail);
  seedRandom();
  try {
    run().then(ended.resolve, fail);
    await ended.promise;
    // What was rejected in the last tick is known in the next one.
    await new Promise((resolve) => setImmediate(resolve));
    await ended.promise;
  } finally {
    clearTimeout(timer);
    process.off('unhandledRejection', fail).off('uncaughtException', fail);
  }
}

/** The same random numbers each time, so that a verdict is reproducible. */
function seedRandom(): void {
  let state = 1;
  Math.random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
