// Policies of a ClusterRoleAlertConnection: those that are denied, and those whose namespace is not known yet.
import { describe, expect, it } from 'vitest';

import type { AccessEntry } from '../../../../src/policy/generated/cluster-role-alert-connection.ts';
import type { RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import {
  accessEntry,
  alert,
  clusterConnection,
  minuteMs,
  namespace,
  policy,
  throughCluster,
} from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';

const scope = 'subscriptions/a';

function clusterPolicy(spec: Partial<RoleAlertPolicy['spec']> = {}, name = 'owners'): RoleAlertPolicy {
  return policy({ name, spec: { connectionRef: throughCluster, ...spec } });
}

async function started(access: readonly AccessEntry[]) {
  const world = new ControllerWorld();
  world.live.set(scope, [alert()]);
  world.applyNamespace(namespace());
  world.apply(clusterConnection({ access }), clusterPolicy());
  await world.start();
  return world;
}

it('a rate limit that does not suffice names the namespace that needs the most', async () => {
  const world = new ControllerWorld();
  const limits = { ...clusterConnection().spec.limits, requestsPerHour: 100, minInterval: '5s' };
  world.apply(clusterConnection({ access: [accessEntry({ namespaceSelector: {} })], limits }));
  const policies = [
    ['team', 'own', '30m'],
    ['evil', 'first', '1m'],
    ['evil', 'second', '1m'],
  ] as const;
  for (const [where, name, interval] of policies) {
    const own = clusterPolicy({ scope: `subscriptions/a/${name}`, interval }, name);
    world.applyNamespace(namespace({}, { name: where, uid: `uid-${where}` }));
    world.live.set(`subscriptions/a/${name}`, [alert()]);
    world.apply({ ...own, metadata: { ...own.metadata, namespace: where } });
  }
  await world.start(minuteMs);
  const capacity = world.clusterConnections.get('/prod')?.status?.conditions?.find(({ type }) => type === 'Capacity');
  expect(capacity?.message).toContain('need 122 requests an hour');
  expect(capacity?.message).toContain('too late; namespace evil needs 120 of them. Raise');
});

describe('a policy of a cluster connection', () => {
  it('whose edits are denied causes no list of a scope that another policy may list', async () => {
    const world = await started([accessEntry({ namespaceSelector: { matchLabels: { team: 'b' } } })]);
    world.applyNamespace(namespace({ team: 'b' }, { name: 'other', uid: 'uid-other' }));
    world.apply(policy({ name: 'theirs', metadata: { namespace: 'other' }, spec: { connectionRef: throughCluster } }));
    await world.clock.advance(minuteMs);
    expect(world.condition('other/theirs', 'Ready')).toBe('True/Succeeded');
    const before = world.count('list');
    for (let generation = 2; generation < 10; generation++) {
      const { spec, metadata } = clusterPolicy({ interval: '5s' });
      world.apply({ ...clusterPolicy(), spec, metadata: { ...metadata, generation } });
      await world.clock.advance(1000);
    }
    expect(world.count('list')).toBe(before);
  });

  it('that no entry grants causes no request, and counts for none', async () => {
    const world = await started([accessEntry({ scopes: ['subscriptions/b'] })]);
    await world.clock.advance(60 * minuteMs);
    expect([world.condition('owners', 'Ready'), world.requests]).toEqual(['False/AccessDenied', []]);
    const counts = { policies: 1, scopes: 0, namespaces: 1, predictedRequestsPerHour: 0 };
    expect(world.clusterConnections.get('/prod')?.status).toMatchObject(counts);
  });

  it('that comes before its namespace is not denied first', async () => {
    const world = new ControllerWorld();
    world.live.set(scope, [alert()]);
    world.apply(clusterConnection());
    world.controller.start();
    world.apply(clusterPolicy());
    await world.clock.advance(1000);
    expect([world.policies.writes, world.requests]).toEqual([0, []]);
    world.applyNamespace(namespace());
    await world.clock.advance(0);
    expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
    expect(world.policies.writes).toBe(1);
  });

  it('of a namespace that stays unknown is denied after five seconds', async () => {
    const world = new ControllerWorld();
    world.apply(clusterConnection(), clusterPolicy());
    await world.start(5000);
    expect(world.condition('owners', 'Ready')).toBe('False/AccessDenied');
  });
});
