// `npm run soak`: a year of virtual time, or another number of days.
import { readCommandLine } from '../support/rigs/command-line.ts';
import { readResources } from './kube/resources.ts';
import { growthOf, type Measure, runSoak } from './soak-run.ts';

const usage = `npm run soak -- [OPTION…]: runs the operator for a number of days of virtual time, and prints the resources that it holds at
the end of some days. Exits with 1 when a resource grew or was left open.
  --days N  the number of days (default 365)
  --seed N  the seed of the world (default 1)`;

const { values } = readCommandLine(usage, {
  options: { days: { type: 'string', default: '365' }, seed: { type: 'string', default: '1' } },
});
const days = Number(values.days);

const line = (day: number, { heapBytes, ...counts }: Measure) =>
  `day ${String(day + 1).padStart(4)}  heap ${(heapBytes / 1e6).toFixed(1)} MB  ${Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join('  ')}`;

const { measures, leftovers, patches } = await runSoak({
  seed: Number(values.seed),
  days,
  resources: await readResources(),
  onDay(day, measure) {
    if (day < 2 || (day + 1) % Math.ceil(days / 20) === 0) console.log(line(day, measure));
  },
});
const problems = [...growthOf(measures), ...leftovers];
console.log(`${days} days, ${patches} PATCHes`);
console.log(problems.length === 0 ? 'nothing grew, nothing was left open' : problems.join('\n'));
process.exitCode = problems.length === 0 ? 0 : 1;
