// A restart with a thousand policies: the looks of the initial list stay inside the connection's budget, and somebody who edits a
// policy meanwhile does not wait for them.
import { expect, it } from 'vitest';

import { readResources } from './kube/resources.ts';
import { budgetOracle } from './oracles/budget.ts';
import { addScope, createPolicy, createStage, editPolicy, policyOf } from './stage.ts';

const resources = await readResources();
const scopes = 250;
const policiesPerScope = 4;

it('serves an edit within 2 s while 1,000 policies are looked at within the budget', async () => {
  const limits = { requestsPerHour: 3600, burst: 20, maxConcurrent: 4 };
  const world = createStage(resources, { seed: 3, connection: { limits }, values: { leaderElect: false } });
  const wrongs: string[] = [];
  budgetOracle.watch(world, (what) => wrongs.push(what));
  for (let scope = 0; scope < scopes; scope++) {
    addScope(world, `subscriptions/${scope}`, { A: false, B: true, C: true, D: true });
    for (let index = 0; index < policiesPerScope; index++) {
      const alerts = [{ name: ['A', 'B', 'C', 'D'][index], state: 'Active' }];
      createPolicy(world, `policy-${scope}-${index}`, { scope: `subscriptions/${scope}`, alerts });
    }
  }
  await world.startReplica();
  await world.time.runUntil(20_000);
  const startedMs = world.time.nowMs;
  // A scope whose own first look still waits for the budget.
  const name = `policy-${scopes - 1}-1`;
  editPolicy(world, name, { alerts: [{ name: 'A', state: 'Active' }] });
  await world.time.runUntil(startedMs + 2000);
  expect(policyOf(world, name)?.status?.['observedGeneration']).toBe(2);
  expect(world.service.find(`subscriptions/${scopes - 1}`, 'A')?.isActive).toBe(true);
  // The others go on, as fast as the budget lets them.
  await world.time.runUntil(30 * 60_000);
  expect(wrongs).toEqual([]);
  const inactive = Array.from(
    { length: scopes },
    (_, scope) => world.service.find(`subscriptions/${scope}`, 'A')?.isActive,
  );
  expect(inactive.filter((isActive) => isActive !== true)).toEqual([]);
});
