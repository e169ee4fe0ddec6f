// `npm run simulate:bugs`: makes each deliberate bug in a copy of the project, runs seeds there until one fails, and prints which
// oracle detected it.
import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';

import { readCommandLine } from '../support/rigs/command-line.ts';
import { type DeliberateBug, deliberateBugs, readBugSeeds } from './bugs.ts';
import { copyProject, makeBug, readSources } from './project-copy.ts';

const usage = `npm run simulate:bugs -- [OPTION…]: makes each deliberate bug in a copy of the project, runs seeds there until one fails, and
prints which oracle detected it. Tries the seed that detected the bug before (bug-seeds.json) first. Exits with 1 when a bug was not detected.
  --seeds N    the number of seeds to try for each bug (default 600)
  --only TEXT  only bugs whose name matches the regular expression
  --remember   write the detecting seeds to bug-seeds.json
  --lanes N    the number of bugs to search at a time (default: one for each core)`;

const { values } = readCommandLine(usage, {
  options: {
    seeds: { type: 'string', default: '600' },
    only: { type: 'string', default: '' },
    remember: { type: 'boolean', default: false },
    lanes: { type: 'string', default: String(availableParallelism()) },
  },
});
const memory = new URL('bug-seeds.json', import.meta.url);

interface Find {
  readonly seed: number | undefined;
  readonly oracle: string;
}

/** The output of the runner. */
function runSeeds(folder: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const all = ['test/simulation/main.ts', '--until-failure', '--workers', '1', ...args];
    const child = spawn(process.execPath, all, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
}

function findIn(output: string): Find | undefined {
  const [, seed] = /^seed (\d+) failed/m.exec(output) ?? [];
  const [, oracle] = /^seed \d+ failed.*\n  (.*) \(at/m.exec(output) ?? [];
  if (seed !== undefined) return { seed: Number(seed), oracle: oracle ?? '' };
  if (/seeds passed/.test(output)) return undefined;
  // An error of the runner counts as a detection without a seed, and the start of its output is printed.
  return {
    seed: undefined,
    oracle: `the run broke off: ${output.trim().split('\n').slice(0, 8).join(' ').slice(0, 300)}`,
  };
}

async function search(folder: string, bug: DeliberateBug, known: readonly number[] = []): Promise<Find | undefined> {
  const restore = await makeBug(folder, bug, sources);
  const where = bug.story === undefined ? [] : ['--story', bug.story];
  if (bug.trait !== undefined) where.push('--trait', bug.trait);
  const among =
    known.length === 0
      ? undefined
      : findIn(await runSeeds(folder, ['--among', known.join(), ...(bug.story === undefined ? [] : where)]));
  const found = among ?? findIn(await runSeeds(folder, ['--seeds', values.seeds, ...where]));
  await restore();
  return found;
}

const sources = await readSources();
const known = await readBugSeeds();
const waiting = deliberateBugs.filter(({ name }) => new RegExp(values.only).test(name));
const count = waiting.length;
const found = new Map<string, Find>();

/** Writes the file in the order of the bugs, without bugs that no longer exist. */
async function remember(bug: string, seed: number): Promise<void> {
  known[bug] = [seed];
  const names = deliberateBugs.map(({ name }) => name).filter((name) => known[name] !== undefined);
  const lines = names.map((name) => `  ${JSON.stringify(name)}: ${JSON.stringify(known[name])}`);
  await writeFile(memory, `{\n${lines.join(',\n')}\n}\n`);
}

async function work(): Promise<void> {
  const folder = await copyProject();
  for (let bug = waiting.shift(); bug; bug = waiting.shift()) {
    const find = await search(folder, bug, known[bug.name]);
    console.log(
      `${bug.name}: ${find ? `"${find.oracle}" found it${find.seed === undefined ? '' : ` with seed ${find.seed}`}` : 'NOT FOUND'}`,
    );
    if (find) found.set(bug.name, find);
    if (find?.seed !== undefined && values.remember) await remember(bug.name, find.seed);
  }
  await rm(folder, { recursive: true });
}

await Promise.all(Array.from({ length: Number(values.lanes) }, () => work()));
const missed = count - found.size;
console.log(missed === 0 ? `all ${count} bugs were found` : `${missed} of ${count} bugs were not found`);
process.exitCode = missed === 0 ? 0 : 1;
