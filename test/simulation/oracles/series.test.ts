// The report of the metrics: what a watch delivers late is not one, what stays wrong is.
import { expect, it } from 'vitest';

import { addScope, createFixture, createPolicy, deletePolicy, policyOf } from '../fixture.ts';
import { readResources } from '../kube/resources.ts';
import { checkSeries } from './series.ts';

const resources = await readResources();
const scope = 'subscriptions/one';

/** A policy that an edit stalls, in the moment in which its status is stored and no watch has delivered it. */
async function stall(watchLagMs: number) {
  let lagMs = 5;
  const world = createFixture(resources, { seed: 1, watchLagMs: () => lagMs });
  addScope(world, scope, { A: false });
  createPolicy(world, 'owners', { scope, interval: '1m', alerts: [{ name: 'A', state: 'Active' }] });
  await world.startReplica();
  await world.time.runUntil(30_000);
  const before = policyOf(world, 'owners')?.status;
  world.service.removeScope(scope);
  lagMs = watchLagMs;
  while (policyOf(world, 'owners')?.status === before) await world.time.runUntil(world.time.nowMs + 1);
  return world;
}

async function reportsOf(world: Awaited<ReturnType<typeof stall>>): Promise<readonly string[]> {
  const reports: string[] = [];
  await checkSeries(world, (what) => reports.push(what));
  return reports;
}

it('does not report a status that a watch is about to deliver', async () => {
  expect(await reportsOf(await stall(200))).toEqual([]);
});

it('reports a condition that is not stored', async () => {
  const world = await stall(600_000);
  const stored = policyOf(world, 'owners');
  if (stored) world.api.store.put('rolealertpolicies', { ...stored, status: {} });
  expect(await reportsOf(world)).toEqual([
    expect.stringMatching(/^replica-0 shows the condition .* of team\/owners, which is not stored$/),
  ]);
});

it('reports a series of a policy that is gone', async () => {
  const world = await stall(600_000);
  deletePolicy(world, 'owners');
  expect(await reportsOf(world)).toContainEqual(
    expect.stringMatching(/^replica-0 has a series \w+ of team\/owners, which does not exist$/),
  );
});
