// A dismissal ends on time beside a tenant of the same ClusterRoleAlertConnection who edits policies without end, such as a controller that
// writes an annotation.
import { expect, test } from 'vitest';

import {
  accessEntry,
  alert,
  alertName,
  clusterConnection,
  inactive,
  minuteMs,
  namespace,
  policy,
  throughCluster,
} from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';
const rateLimits = { requestsPerHour: 7200, burst: 100 };
const endsAfterMs = 60 * minuteMs;

/** A dismissal of the team, and policies of a neighbour on scopes of their own. */
function createWorld(policies: number): FakeWorld {
  const world = new FakeWorld({ intervalMs: 15 * minuteMs, rateLimits, maxConcurrent: 4 });
  const { limits } = clusterConnection().spec;
  world.applyNamespace(namespace());
  world.applyNamespace({ metadata: { ...namespace().metadata, name: 'neighbour', uid: 'uid-neighbour' } });
  const access = [accessEntry({ scopes: ['subscriptions'] })];
  world.apply(clusterConnection({ access, limits: { ...limits, ...rateLimits } }));
  const until = new Date(world.clock.now() + endsAfterMs).toISOString();
  world.live.set(scope, [alert()]);
  world.apply(policy({ spec: { connectionRef: throughCluster, alerts: [inactive({ until })] } }));
  for (let index = 0; index < policies; index++) {
    const [name, theirs] = [`n${index}`, `subscriptions/n${index}`];
    world.live.set(theirs, [alert()]);
    const metadata = { namespace: 'neighbour', uid: `uid-${name}` };
    world.apply(policy({ name, metadata, spec: { connectionRef: throughCluster, scope: theirs } }));
  }
  return world;
}

test.each([
  { policies: 300, everyMs: 250 },
  { policies: 2000, everyMs: 100 },
])('a dismissal ends within a minute beside $policies policies, one of which changes every $everyMs ms', async (of) => {
  const { policies, everyMs } = of;
  const world = createWorld(policies);
  const activatedMs: number[] = [];
  world.onRequest = (request) => {
    if (request.kind === 'patch' && request.isActive && request.scope === scope) activatedMs.push(request.atMs);
  };
  world.controller.start();
  await world.clock.advance(endsAfterMs - 10 * minuteMs);
  expect(world.live.get(scope)).toMatchObject([{ name: alertName, isActive: false }]);
  for (let turn = 0; activatedMs.length === 0 && turn * everyMs < endsAfterMs; turn++) {
    const edited = world.policies.get(`neighbour/n${turn % policies}`);
    if (!edited) throw new Error('The policy of the neighbour is gone.');
    world.apply({ ...edited, metadata: { ...edited.metadata, generation: edited.metadata.generation + 1 } });
    await world.clock.advance(everyMs);
  }
  const lateMs = (activatedMs[0] ?? Infinity) - endsAfterMs;
  expect(lateMs).toBeGreaterThanOrEqual(0);
  expect(lateMs).toBeLessThan(minuteMs);
});
