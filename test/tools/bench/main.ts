// `npm run bench`: the cost of the operator, in counts and in ratios of one run. Times are printed for information; only wrong
// counts make it fail.
import { readCommandLine, refuse } from '../../support/rigs/command-line.ts';
import type { Findings } from './compare.ts';
import { measureScale } from './scale.ts';
import { openSetup, type Setup } from './setup.ts';
import { measureSpeed } from './speed.ts';

const usage = `npm run bench -- [SECTION…] [OPTION…]: the cost of the operator on a control plane of its own. Prints counts, times and ratios with their goals;
exits with 1 when a count is wrong, never because of a time.
  speed            CPU, memory, the API server's CPU and edits, by turns with each other side
  scale            the first round of fleets of several sizes: CPU and memory; then a restart with the largest in sync
Without a section: all of them.
  --against PLACE  another side: a directory with a checkout and its dependencies, or a commit, which gets the dependencies of
                   this checkout; repeatable
  --rounds N       the number of runs of each side in a comparison (default 3)
  --scopes A,B,C   the sizes for the section scale (default 1000,4000,10000; 10,000 take minutes)
  --quick          about two minutes: the speed with one round`;

const { values, positionals } = readCommandLine(usage, {
  allowPositionals: true,
  options: {
    against: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string' },
    scopes: { type: 'string', default: '1000,4000,10000' },
    quick: { type: 'boolean', default: false },
  },
});
const { quick } = values;
const rounds = Number(values.rounds ?? (quick ? 1 : 3));
if (!(Number.isInteger(rounds) && rounds > 0)) refuse(`${values.rounds} is not a number of rounds.`);
const scopes = values.scopes.split(',').map(Number);
if (!scopes.every((each) => Number.isInteger(each) && each >= 10)) refuse(`${values.scopes} are not sizes of fleets.`);

const sections: Readonly<Record<string, (setup: Setup) => Promise<Findings>>> = {
  speed: (setup) => measureSpeed(setup, { rounds, edits: quick ? 30 : 60 }),
  scale: (setup) => measureScale(setup, scopes),
};
const unknown = positionals.find((name) => !(name in sections));
if (unknown !== undefined) refuse(`There is no section ${unknown}.`);
const chosen = positionals.length > 0 ? positionals : quick ? ['speed'] : Object.keys(sections);

const setup = await openSetup(values.against);
const wrong: string[] = [];
try {
  for (const [name, measure] of Object.entries(sections)) {
    if (!chosen.includes(name)) continue;
    const findings = await measure(setup);
    console.log(findings.text);
    wrong.push(...findings.wrong);
  }
} finally {
  await setup.stop();
}
for (const sentence of wrong) console.error(`wrong: ${sentence}`);
process.exitCode = wrong.length === 0 ? 0 : 1;
