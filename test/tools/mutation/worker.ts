// A process that runs the requested cases with an edit on. It keeps what a case leaves behind, so the runner replaces it now and then.
import '../../support/gate/property-seed.ts';
import { setImmediate as turn } from 'node:timers/promises';

import { Hung, runGuarded } from './guard.ts';
import { installHooks } from './hooks.ts';
import type { Answer, CaseRef, Order, RecordedCase } from './orders.ts';
import { readMutatedFiles, root } from './project.ts';
import { recordInto, stepsTaken, turnOff, turnOn } from './switchboard.ts';
import type { Case } from './vitest-stand-in.ts';

const mutated = readMutatedFiles(process.argv.slice(2));
installHooks(mutated);
const { collect } = (await import(new URL('vitest-stand-in.ts', import.meta.url).href)) as {
  collect: (load: () => Promise<unknown>) => Promise<Case[]>;
};

const files = new Map<string, Case[]>();
let graphs = 0;

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
  send({ say: 'begin', what: { file, name: '' } });
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
  const failed: (CaseRef & { why: string })[] = [];
  await importSources(graphs + 1);
  let collected: Case[] = [];
  let collectedIds: readonly number[];
  try {
    collectedIds = await idsDuring(async () => (collected = await collectAnew(file)));
  } catch (error) {
    return { say: 'recorded', cases, collectedIds: [], failed: [{ file, name: '', why: String(error).slice(0, 300) }] };
  }
  for (const each of collected) {
    try {
      cases.push(await recordCase(file, each));
    } catch (error) {
      failed.push({ file, name: each.name, why: String(error).slice(0, 300) });
    }
  }
  return { say: 'recorded', cases, collectedIds, failed };
}

const calmMs = 600_000;

async function recordCase(file: string, { name, run }: Case, isKeptAlive = false): Promise<RecordedCase> {
  send({ say: 'begin', what: { file, name } });
  const stepsBefore = stepsTaken();
  const startMs = performance.now();
  const cpuBefore = process.cpuUsage();
  try {
    const ids = await idsDuring(() => runGuarded(run, { ms: calmMs, isKeptAlive }));
    const ms = performance.now() - startMs;
    const { user, system } = process.cpuUsage(cpuBefore);
    return { file, name, ms, cpuMs: (user + system) / 1000, steps: stepsTaken() - stepsBefore, isKeptAlive, ids };
  } catch (error) {
    if (!(error instanceof Hung) || isKeptAlive) throw error;
    return await recordCase(file, { name, run }, true);
  }
}

async function attempt({ id, importedAnew, cases }: Order & { do: 'try' }): Promise<Answer> {
  for (const [file, wanted] of Map.groupBy(cases, (each) => each.file)) {
    const first = wanted[0] ?? { file, name: '' };
    let collected: Case[];
    try {
      collected = importedAnew.includes(file) ? await importAnew(file, id) : await casesOf(file);
    } catch (error) {
      return killed(first, `import: ${String(error)}`);
    }
    for (const recorded of wanted) {
      const run = collected.find(({ name }) => name === recorded.name)?.run;
      const why = run && (await failureOf(run, recorded, id));
      if (why !== undefined) return killed(recorded, why);
    }
  }
  return { say: 'survived', rssBytes: process.memoryUsage.rss() };
}

function killed({ file, name }: CaseRef, how: string): Answer {
  return { say: 'killed', by: { file, name }, how: how.slice(0, 200), rssBytes: process.memoryUsage.rss() };
}

async function importAnew(file: string, id: number): Promise<Case[]> {
  turnOn(id, 0);
  try {
    return await collectAnew(file);
  } finally {
    turnOff();
  }
}

async function failureOf(run: Case['run'], { file, name, ms, steps, isKeptAlive }: RecordedCase, id: number) {
  send({ say: 'begin', what: { file, name } });
  turnOn(id, steps);
  try {
    await runGuarded(run, { ms: 10_000 + ms * 30, isKeptAlive });
    return undefined;
  } catch (error) {
    return String(error);
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
