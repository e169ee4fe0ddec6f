// `npm run simulate`: many seeds on all cores, or one seed again.
import { cpus } from 'node:os';

import { readCommandLine, refuse } from '../support/rigs/command-line.ts';
import { readResources } from './kube/resources.ts';
import { runMany } from './run-many.ts';
import { type Mode, runSeed } from './run-seed.ts';
import { storyNames } from './scenarios/stories.ts';
import { type Traits, traitNames } from './scenarios/traits.ts';
import { printSummary } from './summary.ts';

const usage = `npm run simulate -- [OPTION…]: runs the operator in simulated worlds, one for each seed. Prints each failed seed with the command
that repeats it, the seeds per second, and which reasons, faults, actions, traits and stories occurred. Exits with 1 when a seed failed.
  --seeds N        the number of seeds (default 200)
  --from N         the first seed (default 1)
  --among A,B,C    run exactly these seeds
  --trait NAME     run only seeds whose world has this trait: ${traitNames.join(', ')}
  --mode MODE      safety: faults to the end; liveness: faults end, and everything comes to rest; directed: one story, and no other fault
                   (default: alternate the first two, and add a directed seed for every four; with --seed: liveness)
  --story NAME     run only directed seeds of this story (test/simulation/scenarios/stories.ts)
  --until-failure  start no further seed after a failure
  --workers N      the number of threads (default: one for each core)
  --seed N         run only this seed, and print its log
  --tail N         with --seed: the number of log lines before the first violation (default 120)`;

const { values } = readCommandLine(usage, {
  options: {
    seeds: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    mode: { type: 'string' },
    trait: { type: 'string' },
    story: { type: 'string' },
    among: { type: 'string' },
    tail: { type: 'string', default: '120' },
    'until-failure': { type: 'boolean', default: false },
    workers: { type: 'string', default: String(cpus().length) },
  },
});

const { story } = values;
const mode = story === undefined ? (values.mode as Mode | undefined) : 'directed';
if (mode !== undefined && !['safety', 'liveness', 'directed'].includes(mode)) refuse(`There is no mode ${mode}.`);
if (values.trait !== undefined && !traitNames.includes(values.trait)) refuse(`There is no trait ${values.trait}.`);
if (story !== undefined && !storyNames.includes(story)) refuse(`There is no story ${story}.`);

if (values.seed === undefined) {
  const [from, count, workers] = [Number(values.from), Number(values.seeds), Number(values.workers)];
  const trait = values.trait as keyof Traits | undefined;
  const among = values.among?.split(',').map(Number);
  const options = { among, from, count, mode, trait, story, workers, isOverAtFailure: values['until-failure'] };
  process.exitCode = printSummary(await runMany(options)) ? 0 : 1;
} else {
  const result = await runSeed({
    seed: Number(values.seed),
    mode: mode ?? 'liveness',
    resources: await readResources(),
  });
  const at = result.tail.findIndex((line) => line.includes('***'));
  const lines =
    at < 0 ? result.tail.slice(-Number(values.tail)) : result.tail.slice(Math.max(0, at - Number(values.tail)));
  for (const line of lines) console.log(line);
  for (const { oracle, atMs, what } of result.violations)
    console.log(`${oracle}\n  at ${Math.round(atMs)} ms: ${what}`);
  console.log(`trace ${result.traceHash.slice(0, 16)}, ${result.events} events, ${result.requests} requests`);
  process.exitCode = result.violations.length === 0 ? 0 : 1;
}
