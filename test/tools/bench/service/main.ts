// `npm run bench:service`: what the alerts service costs, next to servers that do less. It prints times and ratios, and none of them
// makes it fail.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readCommandLine, refuse } from '../../../support/rigs/command-line.ts';
import { openSides } from '../sides.ts';
import { measureLists } from './lists.ts';
import { pinClient, type ServiceBench } from './servers.ts';
import { measureUpdatesBeside } from './updates.ts';

const usage = `npm run bench:service -- [SECTION…] [OPTION…]: the cost of the alerts service. Prints times and ratios with their goals.
  lists            lists of 1 KiB and of 64 KiB, next to node:http with the same bytes
  updates          durable updates, next to a small fastify server
Without a section: both.
  --against PLACE  another side: a directory with a checkout and its dependencies, or a commit, which gets the
                   dependencies of this checkout; repeatable
  --rounds N       the number of measured rounds of each side, by turns (default 40)`;

const { values, positionals } = readCommandLine(usage, {
  allowPositionals: true,
  options: {
    against: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string', default: '40' },
  },
});
const rounds = Number(values.rounds);
if (!(Number.isInteger(rounds) && rounds > 0)) refuse(`${values.rounds} is not a number of rounds.`);

const sections: Readonly<Record<string, (bench: ServiceBench) => Promise<string>>> = {
  lists: measureLists,
  updates: measureUpdatesBeside,
};
const unknown = positionals.find((name) => !(name in sections));
if (unknown !== undefined) refuse(`There is no section ${unknown}.`);

pinClient();
const folder = await mkdtemp(join(tmpdir(), 'rolealerts-bench-'));
const sides = await openSides(folder, values.against);
try {
  for (const [name, measure] of Object.entries(sections)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    console.log(await measure({ folder, sides: sides.all, rounds }));
  }
} finally {
  await sides.stop();
  await rm(folder, { recursive: true });
}
