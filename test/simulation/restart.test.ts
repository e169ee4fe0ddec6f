// A restart with a thousand policies: the reconciles of the initial list stay inside the connection's rate limit, and a user who edits a
// policy meanwhile does not wait for them.
import { expect, it } from 'vitest';

import { addScope, createFixture, createPolicy, editPolicy, policyOf } from './fixture.ts';
import { readResources } from './kube/resources.ts';
import { budgetOracle } from './oracles/budget.ts';

const resources = await readResources();
const scopes = 250;
const policiesPerScope = 4;
const restSeconds = 20;

async function restarted(requestsPerHour: number) {
  const limits = { requestsPerHour, burst: 20, maxConcurrent: 4 };
  const world = createFixture(resources, { seed: 3, connection: { limits }, values: { leaderElect: false } });
  const wrongs: string[] = [];
  budgetOracle.watch(world, (what) => wrongs.push(what));
  for (let scope = 0; scope < scopes; scope++) {
    addScope(world, `subscriptions/${scope}`, { A: false, B: true, C: true, D: true });
    for (let index = 0; index < policiesPerScope; index++) {
      const alerts = [{ name: ['A', 'B', 'C', 'D'][index], state: 'Active' }];
      createPolicy(world, `policy-${scope}-${index}`, { scope: `subscriptions/${scope}`, alerts });
    }
  }
  const sentMs: number[] = [];
  const listed = new Set<string>();
  world.service.onCall.push(({ kind, scope, sentAtMs }) => {
    if (kind === 'list' || kind === 'patch') sentMs.push(sentAtMs);
    if (kind === 'list') listed.add(scope);
  });
  await world.startReplica();
  await world.time.runUntil(restSeconds * 1000);
  return { world, wrongs, sentMs, listed };
}

it('serves an edit within 2 s while 1,000 policies are reconciled within the rate limit', async () => {
  const { world, wrongs, sentMs } = await restarted(3600);
  const startedMs = world.time.nowMs;
  // A scope whose own first reconcile still waits for the rate limiter.
  const name = `policy-${scopes - 1}-1`;
  editPolicy(world, name, { alerts: [{ name: 'A', state: 'Active' }] });
  await world.time.runUntil(startedMs + 2000);
  expect(policyOf(world, name)?.status?.['observedGeneration']).toBe(2);
  expect(world.service.find(`subscriptions/${scopes - 1}`, 'A')?.isActive).toBe(true);
  // The others continue at the pace of the rate limiter: half of the burst at the start, then one a second.
  await world.time.runUntil(30 * 60_000);
  expect(wrongs).toEqual([]);
  const inOrder = sentMs.sort((a, b) => a - b);
  for (const [count, atMs] of inOrder.entries()) expect(count + 1).toBeLessThanOrEqual(10 + atMs / 1000);
  expect(inOrder.length).toBeGreaterThan(3 * scopes);
  const flags = Array.from(
    { length: scopes },
    (_, scope) => world.service.find(`subscriptions/${scope}`, 'A')?.isActive,
  );
  expect(flags.filter((isActive) => isActive !== true)).toEqual([]);
});

it('serves an edit within 2 s of a scope whose reconcile has begun and waits for minutes for the rate limiter', async () => {
  const { world, wrongs, listed } = await restarted(60);
  const waiting = [...listed].filter((scope) => world.service.find(scope, 'A')?.isActive === false);
  const scope = waiting.at(0) ?? '';
  const name = `policy-${scope.split('/')[1]}-1`;
  const startedMs = world.time.nowMs;
  editPolicy(world, name, { alerts: [{ name: 'A', state: 'Active' }] });
  await world.time.runUntil(startedMs + 2000);
  expect(policyOf(world, name)?.status?.['observedGeneration']).toBe(2);
  expect(world.service.find(scope, 'A')?.isActive).toBe(true);
  // One alone: the others still wait.
  const stillWaiting = waiting.filter((other) => world.service.find(other, 'A')?.isActive === false);
  expect(stillWaiting).toEqual(waiting.slice(1));
  expect(wrongs).toEqual([]);
});
