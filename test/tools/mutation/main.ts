// `npm run mutate`: makes every edit of the sources (edits/), one at a time, and runs the tests and then the simulation to find it.
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';

import { readCommandLine } from '../../support/rigs/command-line.ts';
import { hashOf, hashOfFiles } from './kept-files.ts';
import { printKillers } from './killers.ts';
import { candidatesIn, type Candidates, type Mutant, mutantsOf } from './mutants.ts';
import type { CaseRef, RecordedCase } from './orders.ts';
import { allFolders, type MutatedFile, readMutatedFiles, root, testFilesReaching, tierOf } from './project.ts';
import { record } from './recording.ts';
import { type Judged, printFolder, printParts, printSurvivors } from './report.ts';
import { sampleOf } from './sample.ts';
import { type Verdict, Verdicts } from './verdicts.ts';
import { share, WorkerProcess } from './worker-process.ts';

const usage = `npm run mutate -- [OPTION…] [FOLDER…]: makes every edit of the sources, one at a time, lets the tests and then the simulation
find it, and prints the edits that no test noticed and the score of each folder. What is known from before is not tried again.
Ends with 1 when a folder misses its goal. Folders: ${allFolders.join(', ')} (default: all), folders below them, or single files;
src/ may be left out.
  --seeds N    seeds of the simulation (default 12)
  --workers N  processes (default: one a core)
  --fuzz N     runs of a property test, as a factor (default 0.3)
  --within N   seconds of the processor that an edit may take, the quickest of each tier first (default 600): a lower score, sooner
  --sample N   only so many edits of each folder, drawn at random: 1000 give the score to within 2.5 points
  --seed TEXT  draws the sample (default 1)
  --again      try everything, whatever is known
  --all-killers  let every test file find each edit, not only the first: keeps in .rolealerts/mutation/ which one finds which
  --known      print what is known, try nothing`;

const { values, positionals } = readCommandLine(usage, {
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '12' },
    workers: { type: 'string', default: String(availableParallelism()) },
    fuzz: { type: 'string', default: '0.3' },
    within: { type: 'string', default: '600' },
    sample: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: '1' },
    again: { type: 'boolean', default: false },
    'all-killers': { type: 'boolean', default: false },
    known: { type: 'boolean', default: false },
  },
});

/** Everything that a test can depend on besides the sources of the folder. */
function testFilesHash(): string {
  const tests = ['unit', 'property', 'contract', 'simulation', 'support', 'fixtures'].map(
    (part) => `test/${part}/**/*.*`,
  );
  return hashOf(hashOfFiles(globSync([...tests, 'crds/*.yaml'], { cwd: root }).toSorted()), values.seeds, values.fuzz);
}

const testsHash = () => hashOf(testFilesHash(), values.within);

async function judgeFolder(folder: string): Promise<Judged[]> {
  const files = readMutatedFiles([folder]);
  const mutants = sampleOf(mutantsOf(files), Number(values.sample), values.seed);
  const name = folder.replaceAll(/\W+/g, '-');
  const verdicts = new Verdicts(values['all-killers'] ? `${name}-killers` : name, testsHash());
  const open = mutants.filter((mutant) => values.again || verdicts.get(mutant) === undefined);
  if (open.length > 0 && !values.known) await tryAll(name, files, open, verdicts);
  const judged = mutants.flatMap((mutant) => {
    const verdict = verdicts.get(mutant);
    return verdict ? [{ mutant, verdict }] : [];
  });
  if (values['all-killers']) printKillers(name, judged);
  return judged;
}

async function tryAll(
  name: string,
  files: readonly MutatedFile[],
  open: readonly Mutant[],
  verdicts: Verdicts,
): Promise<void> {
  const environment = { ROLEALERTS_MUTATION_SEEDS: values.seeds, ROLEALERTS_FUZZ_RUNS: values.fuzz };
  const paths = files.map(({ path }) => path);
  const workers = Array.from({ length: Number(values.workers) }, () => new WorkerProcess(paths, environment));
  const hash = hashOf(testFilesHash(), hashOfFiles(globSync('src/**/*.ts', { cwd: root }).toSorted()));
  const recording = await record(`${name}-cases`, hash, workers, testFilesReaching(paths));
  for (const { file, name: which, why } of recording.failed) console.log(`cannot run here: ${file} > ${which}: ${why}`);
  const candidates = candidatesIn(recording, files);
  const progress = progressOf(open.length);
  await share(workers, open, async (worker, mutant) => {
    const verdict = values['all-killers']
      ? await verdictOfAll(worker, mutant, candidates(mutant))
      : await verdictOn(worker, mutant, candidates(mutant), verdicts.hint(mutant));
    verdicts.set(mutant, verdict);
    progress(verdict);
  });
  verdicts.save();
  await Promise.all(workers.map((worker) => worker.stop()));
}

async function verdictOn(
  worker: WorkerProcess,
  { id, file }: Mutant,
  { cases, importedAnew }: Candidates,
  hint: CaseRef | undefined,
): Promise<Verdict> {
  if (cases.length === 0) return { result: 'not executed' };
  const outcome = await worker.run({
    do: 'try',
    id,
    importedAnew,
    cases: withinTime(likelyFirst(cases, hint, file.path)),
  });
  if (outcome.say !== 'killed' && outcome.say !== 'died') return { result: 'survived' };
  const { by, how } = outcome;
  if (tierOf(by.file) !== 'simulation') lastKillers.set(file.path, by);
  return { result: 'killed', by, how };
}

/** Each test file tries it on its own, whatever the others found. */
async function verdictOfAll(
  worker: WorkerProcess,
  { id }: Mutant,
  { cases, importedAnew }: Candidates,
): Promise<Verdict> {
  if (cases.length === 0) return { result: 'not executed' };
  const killed: (Verdict & { result: 'killed' })[] = [];
  for (const [file, ofFile] of Map.groupBy(withinTime(cases), (each) => each.file)) {
    const outcome = await worker.run({ do: 'try', id, importedAnew, cases: ofFile });
    if (outcome.say !== 'killed' && outcome.say !== 'died') continue;
    killed.push({ result: 'killed', by: { file, name: outcome.by.name }, how: outcome.how });
  }
  const [first] = killed;
  return first ? { ...first, killers: killed.map(({ by }) => by.file) } : { result: 'survived' };
}

/** By source file: the case that killed the previous edit. It often kills the next one, too. */
const lastKillers = new Map<string, CaseRef>();

function likelyFirst(cases: readonly RecordedCase[], hint: CaseRef | undefined, path: string): RecordedCase[] {
  const likely = [hint, lastKillers.get(path)].flatMap((ref) => cases.filter((each) => isSame(each, ref)));
  return [...new Set([...likely, ...cases])];
}

function withinTime(cases: readonly RecordedCase[]): RecordedCase[] {
  let leftMs = Number(values.within) * 1000;
  return cases.filter(({ cpuMs }) => (leftMs -= cpuMs) > 0);
}

function isSame(one: CaseRef, other: CaseRef | undefined): boolean {
  return one.file === other?.file && one.name === other.name;
}

/** Prints its progress periodically. */
function progressOf(total: number): (verdict: Verdict) => void {
  const startedMs = performance.now();
  let [done, killed, toldMs] = [0, 0, startedMs];
  return ({ result }) => {
    done += 1;
    if (result === 'killed') killed += 1;
    if (performance.now() - toldMs < 30_000) return;
    toldMs = performance.now();
    console.log(`  ${done} of ${total}, ${killed} noticed, ${Math.round((toldMs - startedMs) / 1000)} s`);
  };
}

let isGood = true;
const named = positionals.map((each) => (each.startsWith('src/') ? each : `src/${each}`));
for (const folder of named.length > 0 ? named : allFolders) {
  const judged = await judgeFolder(folder);
  printSurvivors(judged.toSorted((one, other) => one.mutant.id - other.mutant.id));
  printParts(judged);
  isGood = printFolder(folder, judged) && isGood;
}
process.exitCode = isGood ? 0 : 1;
