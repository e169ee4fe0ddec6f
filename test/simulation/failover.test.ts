// Several replicas in virtual time: how long no replica leads after a release and after a crash, and what a replica that was frozen and resumes
// later may do.
import { describe, expect, it } from 'vitest';

import { addScope, createFixture, createPolicy } from './fixture.ts';
import { readResources } from './kube/resources.ts';
import { leaseOracle } from './oracles/lease.ts';
import type { World } from './world.ts';

const resources = await readResources();
const scope = 'subscriptions/one';

/** Two replicas at rest, and the one that leads. */
async function twoReplicas(
  seed: number,
): Promise<{ world: World; leader: World['replicas'][number]; wrongs: string[] }> {
  const world = createFixture(resources, { seed });
  const wrongs: string[] = [];
  leaseOracle.watch(world, (what) => wrongs.push(what));
  addScope(world, scope, { A: true });
  createPolicy(world, 'owners', { scope, interval: '5s', alerts: [{ name: 'A', state: 'Active' }] });
  await world.startReplica();
  await world.startReplica();
  await world.time.runUntil(60_000);
  const name = world.service.calls.at(-1)?.process;
  const leader = world.replicas.find((replica) => replica.name === name);
  if (!leader) throw new Error('no replica leads');
  return { world, leader, wrongs };
}

/** Milliseconds from now until a drift is corrected. */
async function untilCorrected(world: World, withinMs: number): Promise<number> {
  const fromMs = world.time.nowMs;
  world.service.turn(scope, 'A', false, 'User');
  await world.time.runUntil(fromMs + withinMs);
  const patch = world.service.calls.find(({ kind, atMs }) => kind === 'patch' && atMs >= fromMs);
  return patch ? patch.atMs - fromMs : Infinity;
}

describe('fail-over', () => {
  it.each([1, 2, 3, 4, 5])('takes less than 5 s after a release (seed %i)', async (seed) => {
    const { world, leader, wrongs } = await twoReplicas(seed);
    void leader.stop();
    expect(await untilCorrected(world, 60_000)).toBeLessThan(5000);
    expect(wrongs).toEqual([]);
  });

  it.each([1, 2, 3, 4, 5])('takes less than 45 s after a crash (seed %i)', async (seed) => {
    const { world, leader, wrongs } = await twoReplicas(seed);
    leader.kill();
    expect(await untilCorrected(world, 120_000)).toBeLessThan(45_000);
    expect(wrongs).toEqual([]);
  });

  it.each([1, 2, 3, 4, 5])(
    'a leader that was frozen for longer than its lease writes nothing (seed %i)',
    async (seed) => {
      const { world, leader, wrongs } = await twoReplicas(seed);
      leader.process.freeze();
      world.service.turn(scope, 'A', false, 'User');
      await world.time.runUntil(world.time.nowMs + 80_000);
      world.service.turn(scope, 'A', false, 'User');
      const thawedMs = world.time.nowMs;
      leader.process.thaw();
      await world.time.runUntil(thawedMs + 60_000);
      const late = world.service.calls.filter(
        ({ process, sentAtMs }) => process === leader.name && sentAtMs >= thawedMs,
      );
      expect({ late, wrongs }).toEqual({ late: [], wrongs: [] });
      expect(world.service.find(scope, 'A')?.isActive).toBe(true);
      expect(leader.isAlive).toBe(false);
    },
  );
});
