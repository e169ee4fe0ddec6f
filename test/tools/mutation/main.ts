// `npm run mutate`: makes every edit of the sources (edits.ts), one at a time, and runs the tests and then the simulation to find it.
import { availableParallelism } from 'node:os';

import { readCommandLine } from '../../support/rigs/command-line.ts';
import { type Candidates, candidatesIn, type Mutant, mutantsOf, type Recording, sampleOf } from './mutants.ts';
import { goals, readMutatedFiles, testFilesReaching } from './project.ts';
import { type RecordedCase, share, WorkerProcess } from './worker-process.ts';

const usage = `npm run mutate -- [OPTION…] [FOLDER…]: makes every edit of the sources, one at a time, lets the tests and then the simulation
find it, and prints the edits that no test noticed and the score of each folder. Ends with 1 when a folder misses its goal.
Folders: ${Object.keys(goals).join(', ')} (default: all), folders below them, or single files; src/ may be left out.
  --seeds N    seeds of the simulation (default 12)
  --workers N  processes (default: one a core)
  --within N   seconds of the processor that an edit may take, the quickest of each tier first (default 600): a lower score, sooner
  --sample N   only so many edits of each folder, drawn at random: 1000 give the score to within 2.5 points
  --seed TEXT  draws the sample (default 1)`;

const { values, positionals } = readCommandLine(usage, {
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '12' },
    workers: { type: 'string', default: String(availableParallelism()) },
    within: { type: 'string', default: '600' },
    sample: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: '1' },
  },
});

/** A tier, or what became of an edit that none noticed. */
type Verdict = string;

async function judgeFolder(folder: string): Promise<boolean> {
  const files = readMutatedFiles([folder]);
  const mutants = sampleOf(mutantsOf(files), Number(values.sample), values.seed);
  const environment = { ROLEALERTS_MUTATION_SEEDS: values.seeds, ROLEALERTS_FUZZ_RUNS: '0.3' };
  const paths = files.map(({ path }) => path);
  const workers = Array.from({ length: Number(values.workers) }, () => new WorkerProcess(paths, environment));
  const candidates = candidatesIn(await record(workers, testFilesReaching(paths)), files);
  const verdicts = new Map<Mutant, Verdict>();
  await share(workers, mutants, async (worker, mutant) => {
    verdicts.set(mutant, await verdictOn(worker, mutant, candidates(mutant)));
    if (verdicts.size % 100 === 0) console.log(`  ${verdicts.size} of ${mutants.length}`);
  });
  await Promise.all(workers.map((worker) => worker.stop()));
  return print(folder, verdicts);
}

/** Every test file runs once without any edit. */
async function record(workers: readonly WorkerProcess[], testFiles: readonly string[]): Promise<Recording> {
  const cases: RecordedCase[] = [];
  const collectedIds = new Map<string, readonly number[]>();
  await share(workers, testFiles, async (worker, file) => {
    const outcome = await worker.run({ do: 'record', file });
    if (outcome.say !== 'recorded') throw new Error(`${file} cannot be recorded: ${JSON.stringify(outcome)}`);
    cases.push(...outcome.cases);
    collectedIds.set(file, outcome.collectedIds);
    for (const failure of outcome.failed) console.log(`cannot run here: ${failure}`);
  });
  const imported = await workers[0]?.run({ do: 'import' });
  return { cases, collectedIds, importedIds: imported?.say === 'imported' ? imported.ids : [] };
}

async function verdictOn(
  worker: WorkerProcess,
  { id, file: { path } }: Mutant,
  { cases, importedAnew }: Candidates,
): Promise<Verdict> {
  if (cases.length === 0) return 'not executed';
  let leftMs = Number(values.within) * 1000;
  const inTime = cases.filter(({ cpuMs }) => (leftMs -= cpuMs) > 0);
  const outcome = await worker.run({ do: 'try', id, path, importedAnew, cases: inTime });
  if (outcome.say === 'died') return 'ended the process';
  return (outcome.say === 'tried' ? outcome.noticed : undefined) ?? 'survived';
}

/** True when the folder reached its goal. */
function print(folder: string, verdicts: ReadonlyMap<Mutant, Verdict>): boolean {
  const survivors = [...verdicts].filter(([, verdict]) => ['survived', 'not executed'].includes(verdict));
  for (const [{ file, edit }, verdict] of survivors.toSorted(([one], [other]) => one.id - other.id)) {
    const line = file.source.slice(0, edit.start).split('\n').length;
    const [before, after] = [edit.before, edit.after].map((text) => text.replaceAll(/\s+/g, ' ').slice(0, 160));
    console.log(`${file.path}:${line} ${edit.kind} (${verdict}): ${before} => ${after || '(nothing)'}`);
  }
  const counts = [...Map.groupBy(verdicts.values(), (verdict) => verdict)].map(
    ([name, all]) => `${name} ${all.length}`,
  );
  const score = (1 - survivors.length / Math.max(1, verdicts.size)) * 100;
  const goal = goals[folder] ?? 0;
  const missed = score < goal ? `; it has to reach ${goal} %` : '';
  console.log(`${folder}: ${score.toFixed(1)} % of ${verdicts.size} edits; ${counts.join(', ')}${missed}`);
  return missed === '';
}

let isGood = true;
const named = positionals.map((each) => (each.startsWith('src/') ? each : `src/${each}`));
for (const folder of named.length > 0 ? named : Object.keys(goals)) isGood = (await judgeFolder(folder)) && isGood;
process.exitCode = isGood ? 0 : 1;
