// Policies of a ClusterRoleAlertConnection: what its grants let them do, and what a change of a grant changes.
import { describe, expect, it, vi } from 'vitest';

import { PolicyPlaces } from '../../../../src/operator/queue/policy-index.ts';
import type { AccessEntry } from '../../../../src/policy/generated/cluster-role-alert-connection.ts';
import type { RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import {
  accessEntry,
  alert,
  clusterConnection,
  inactive,
  minuteMs,
  namespace,
  policy,
  throughCluster,
} from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';

const scope = 'subscriptions/a';
const dismissing = { alerts: [inactive({ incidents: ['1'] })] };

function clusterPolicy(spec: Partial<RoleAlertPolicy['spec']> = {}, name = 'owners'): RoleAlertPolicy {
  return policy({ name, spec: { connectionRef: throughCluster, ...spec } });
}

async function started(access: readonly AccessEntry[], spec: Partial<RoleAlertPolicy['spec']> = {}, isActive = false) {
  const world = new ControllerWorld();
  world.live.set(scope, [alert({ isActive })]);
  world.applyNamespace(namespace());
  world.apply(clusterConnection({ access }), clusterPolicy(spec));
  await world.start();
  return world;
}

function changeAccess(world: ControllerWorld, access: readonly AccessEntry[]): void {
  const before = world.clusterConnections.get('/prod') ?? clusterConnection();
  const metadata = { ...before.metadata, generation: before.metadata.generation + 1 };
  world.apply({ ...before, metadata, spec: { ...before.spec, access } });
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
  it('is placed once at the start', async () => {
    const world = new ControllerWorld();
    world.applyNamespace(namespace());
    world.apply(clusterConnection({ access: [accessEntry()] }), clusterPolicy());
    const place = vi.spyOn(PolicyPlaces.prototype, 'place');
    world.controller.start();
    const { length } = place.mock.calls;
    place.mockRestore();
    expect(length).toBe(1);
  });

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

describe('a changed entry takes effect within a second, although other scopes wait for the rate limit:', () => {
  const entryOf = (team: string, change: Partial<AccessEntry> = {}) =>
    accessEntry({ namespaceSelector: { matchLabels: { team } }, ...change });

  function declare(world: ControllerWorld, team: string, name: string, change: Partial<RoleAlertPolicy['spec']> = {}) {
    const spec = { connectionRef: throughCluster, scope: `subscriptions/${name}`, interval: '1h', ...change };
    world.live.set(spec.scope, [alert()]);
    world.apply(policy({ name, metadata: { namespace: team }, spec }));
  }

  /** The team `b` has the scopes x and y, the team `a` fifty others. */
  async function fleet(access: readonly AccessEntry[]) {
    const world = new ControllerWorld({ rateLimits: { requestsPerHour: 3600, burst: 20 } });
    for (const team of ['a', 'b']) world.applyNamespace(namespace({ team }, { name: team, uid: `uid-${team}` }));
    world.apply(clusterConnection({ access }));
    for (let count = 0; count < 50; count++) declare(world, 'a', `a${count}`);
    for (const name of ['x', 'y']) declare(world, 'b', name, dismissing);
    await world.start(10 * minuteMs);
    return world;
  }
  const readyOf = (world: ControllerWorld) => ['x', 'y'].map((name) => world.condition(`b/${name}`, 'Ready'));
  const flagsOf = (world: ControllerWorld) =>
    ['x', 'y'].map((name) => world.live.get(`subscriptions/${name}`)?.[0]?.isActive);

  it('one that is removed', async () => {
    const world = await fleet([accessEntry(), entryOf('b')]);
    expect(flagsOf(world)).toEqual([false, false]);
    changeAccess(world, [accessEntry()]);
    await world.clock.advance(1000);
    expect(readyOf(world)).toEqual(['False/AccessDenied', 'False/AccessDenied']);
    expect(flagsOf(world)).toEqual([true, true]);
  });

  it('one that is added', async () => {
    const world = await fleet([accessEntry()]);
    expect(readyOf(world)).toEqual(['False/AccessDenied', 'False/AccessDenied']);
    changeAccess(world, [accessEntry(), entryOf('b', { deactivation: 'Deny' })]);
    await world.clock.advance(1000);
    expect(readyOf(world)).toEqual(['False/DeactivationDenied', 'False/DeactivationDenied']);
  });
});

it('a changed label that changes no grant causes no request', async () => {
  const world = await started([accessEntry()]);
  const before = world.requests.length;
  world.applyNamespace(namespace({ team: 'a', note: 'another' }));
  await world.clock.advance(minuteMs);
  expect(world.requests.length).toBe(before);
});
