// Tenants of one ClusterRoleAlertConnection who try to do more than they are granted: no request leaves the grants, and every
// other invariant holds as well. The directed seeds of a merge play each story once or twice; here it has some seeds more.
import { expect, it } from 'vitest';

import { readResources } from './kube/resources.ts';
import { runSeed } from './run-seed.ts';
import { storyNames, storyOf } from './scenarios/stories.ts';
import { returns } from './scenarios/stories/returns.ts';
import { tenants } from './scenarios/stories/tenants.ts';
import { thieves } from './scenarios/stories/thieves.ts';
import { widenings } from './scenarios/stories/widenings.ts';

const seedsOfEach = 4;

function seedsOf(story: string): number[] {
  const seeds: number[] = [];
  for (let seed = 0; seeds.length < seedsOfEach; seed++) if (storyOf(seed).name === story) seeds.push(seed);
  return seeds;
}

it.each(Object.keys({ ...tenants, ...thieves, ...widenings, ...returns }))('%s', async (story) => {
  expect(storyNames).toContain(story);
  const resources = await readResources();
  for (const seed of seedsOf(story)) {
    const { violations } = await runSeed({ seed, mode: 'directed', resources });
    expect({ seed, violations }).toEqual({ seed, violations: [] });
  }
});
