// One directed seed: a small world without faults, one story, and the verdict of every oracle.
import { seededRandom } from '../../src/lib/random.ts';
import { countIn } from './coverage-counts.ts';
import { checkConvergence } from './oracles/convergence.ts';
import { checkSeries } from './oracles/series.ts';
import type { SeedOptions, SeedResult } from './run-seed.ts';
import { storyOf } from './scenarios/stories.ts';
import { Scene } from './scenarios/stories/scene.ts';
import { Script } from './scenarios/stories/script.ts';
import { Verdicts } from './verdicts.ts';
import { World } from './world.ts';

/** What happened last in the story may still be corrected, or be shown by the next write. */
const settleMs = 60_000;

export async function runDirected({ seed, mode, resources, recorder }: SeedOptions): Promise<SeedResult> {
  const script = new Script();
  const world = new World({
    seed,
    resources,
    recorder,
    fateOf: (request) => script.fateOf(request),
    watchLagMs: () => script.watchLagMs,
    serviceLagMs: () => script.serviceLagMs,
  });
  const { name, play } = storyOf(seed);
  const verdicts = new Verdicts(world);
  countIn(world.counts, `story ${name}`);
  world.note(`--- ${name}`);
  const report = verdicts.reportFor(`story: ${name}`);
  await play(new Scene({ world, random: seededRandom(seed * 7919 + 3), script, report }));
  await world.time.runUntil(world.time.nowMs + settleMs);
  checkConvergence(world, verdicts.reportFor('everything becomes as it is wanted'));
  await checkSeries(world, verdicts.reportFor('metrics exist only for existing objects'));
  await verdicts.end();
  return verdicts.resultOf({ seed, mode });
}
