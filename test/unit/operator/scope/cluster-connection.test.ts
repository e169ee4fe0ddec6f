// Policies of a ClusterRoleAlertConnection: what its grants let them do, and what a change of a grant changes.
import { describe, expect, it, vi } from 'vitest';

import { sleep } from '../../../../src/lib/clock.ts';
import { PolicyPlaces } from '../../../../src/operator/queue/policy-index.ts';
import type { AccessEntry } from '../../../../src/policy/generated/cluster-role-alert-connection.ts';
import type { RoleAlertPolicy } from '../../../../src/policy/resources.ts';
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
const dismissing = { alerts: [inactive({ incidents: ['1'] })] };

function clusterPolicy(spec: Partial<RoleAlertPolicy['spec']> = {}, name = 'owners'): RoleAlertPolicy {
  return policy({ name, spec: { connectionRef: throughCluster, ...spec } });
}

/** `access` undefined: no entries. */
async function started(access: readonly AccessEntry[], spec: Partial<RoleAlertPolicy['spec']> = {}, isActive = false) {
  const world = new FakeWorld();
  world.live.set(scope, [alert({ isActive })]);
  world.applyNamespace(namespace());
  world.apply(clusterConnection({ access }));
  world.apply(clusterPolicy(spec));
  world.controller.start();
  await world.clock.advance(0);
  return world;
}

function changeAccess(world: FakeWorld, access: readonly AccessEntry[]): void {
  const before = world.clusterConnections.get('/prod') ?? clusterConnection();
  const metadata = { ...before.metadata, generation: before.metadata.generation + 1 };
  world.apply({ ...before, metadata, spec: { ...before.spec, access } });
}

const sent = (world: FakeWorld) => [world.count('list'), world.count('patch')];

it('a rate limit that does not suffice names the namespace that needs the most', async () => {
  const world = new FakeWorld();
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
  world.controller.start();
  await world.clock.advance(minuteMs);
  const capacity = world.clusterConnections.get('/prod')?.status?.conditions?.find(({ type }) => type === 'Capacity');
  expect(capacity?.message).toContain('need 122 requests an hour');
  expect(capacity?.message).toContain('too late; namespace evil needs 120 of them. Raise');
});

describe('a policy of a cluster connection', () => {
  it('is served when one entry grants what it does', async () => {
    const world = await started([accessEntry()]);
    expect(sent(world)).toEqual([2, 1]);
    expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
    expect(world.clusterConnections.get('/prod')?.status).toMatchObject({ policies: 1, scopes: 1, namespaces: 1 });
  });

  it('is placed once at the start', async () => {
    const place = vi.spyOn(PolicyPlaces.prototype, 'place');
    await started([accessEntry()]);
    const { length } = place.mock.calls;
    place.mockRestore();
    expect(length).toBe(1);
  });

  it('is granted what it does without a look at the entries of other namespaces each time', async () => {
    let compared = 0;
    const elsewhere: AccessEntry = {
      ...accessEntry(),
      get namespaceSelector() {
        compared += 1;
        return { matchLabels: { team: 'b' } };
      },
    };
    const world = await started([accessEntry(), elsewhere]);
    world.apply(clusterPolicy({ scope: 'subscriptions/c' }, 'readers'));
    await world.clock.advance(60 * minuteMs);
    expect(world.count('list')).toBeGreaterThan(8);
    expect(compared).toBe(1);
    world.applyNamespace(namespace({ team: 'c' }));
    await world.clock.advance(60 * minuteMs);
    expect(compared).toBe(2);
  });

  it('causes no request when no entry grants its scope', async () => {
    const world = await started([accessEntry({ scopes: ['subscriptions/b'] })]);
    await world.clock.advance(60 * minuteMs);
    expect(world.requests).toEqual([]);
    expect([world.condition('owners', 'Ready'), world.condition('owners', 'Stalled')]).toEqual([
      'False/AccessDenied',
      'True/AccessDenied',
    ]);
    expect(world.condition('owners', 'ConnectionReady')).toBe('absent');
    expect(world.events).toEqual(['AccessDenied owners']);
    const { message } = world.policies.get('team/owners')?.status?.conditions?.[0] ?? {};
    expect(message).toContain(
      'ClusterRoleAlertConnection prod grants nothing to the policies of namespace team on scope',
    );
    expect(message).not.toContain('subscriptions/b');
    expect(world.clusterConnections.get('/prod')?.status).toMatchObject({
      policies: 1,
      scopes: 0,
      namespaces: 1,
      predictedRequestsPerHour: 0,
    });
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

  it('is treated as Observe when only Observe is granted', async () => {
    const world = await started([accessEntry({ maxMode: 'Observe', deactivation: 'Deny' })]);
    expect(sent(world)).toEqual([1, 0]);
    expect([world.condition('owners', 'Ready'), world.condition('owners', 'InSync')]).toEqual([
      'True/ModeNotGranted',
      'False/ObserveOnly',
    ]);
    expect(world.policies.get('team/owners')?.status?.effective?.mode).toBe('Observe');
  });

  it('deactivates nothing that no entry grants', async () => {
    const world = await started([accessEntry({ deactivation: 'Deny' })], dismissing, true);
    expect(sent(world)).toEqual([1, 0]);
    expect(world.condition('owners', 'Stalled')).toBe('True/DeactivationDenied');
  });

  it('guards no unlisted alert that no entry grants', async () => {
    const unlisted = { state: 'Active', minSeverity: 'Low' } as const;
    const world = await started([accessEntry({ unlisted: 'Deny' })], { alerts: [], unlisted });
    expect(sent(world)).toEqual([1, 0]);
    expect(world.condition('owners', 'Stalled')).toBe('True/GuardDenied');
    expect(world.events).toEqual(['GuardDenied owners']);
  });

  it('that comes before its namespace is not denied first', async () => {
    const world = new FakeWorld();
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
    const world = new FakeWorld();
    world.apply(clusterConnection());
    world.apply(clusterPolicy());
    world.controller.start();
    await world.clock.advance(5000);
    expect(world.condition('owners', 'Ready')).toBe('False/AccessDenied');
  });

  it('does not find a connection of that name in its own namespace', async () => {
    const world = new FakeWorld();
    world.applyNamespace(namespace());
    world.apply({ ...clusterConnection(), kind: 'RoleAlertConnection', metadata: policy().metadata } as never);
    world.apply(clusterPolicy());
    world.controller.start();
    await world.clock.advance(1000);
    expect(world.condition('owners', 'Ready')).toBe('False/ConnectionNotFound');
    expect(world.requests).toEqual([]);
  });
});

describe('a grant that ends', () => {
  const off = async (world: FakeWorld) => {
    await world.clock.advance(0);
    expect(world.live.get(scope)?.[0]?.isActive).toBe(false);
    return world;
  };
  const isActive = (world: FakeWorld) => world.live.get(scope)?.[0]?.isActive;

  it.each<readonly [string, (world: FakeWorld) => void, string]>([
    ['because its entry is gone', (world) => changeAccess(world, []), 'True/AccessDenied'],
    [
      'because its entry no longer covers deactivations',
      (world) => changeAccess(world, [accessEntry({ deactivation: 'Deny' })]),
      'True/DeactivationDenied',
    ],
    [
      'because its entry covers only Observe',
      (world) => changeAccess(world, [accessEntry({ maxMode: 'Observe' })]),
      'True/DeactivationDenied',
    ],
    [
      'because a label of the namespace has changed',
      (world) => world.applyNamespace(namespace({ team: 'b' })),
      'True/AccessDenied',
    ],
    ['because the namespace is gone', (world) => world.removeNamespace('team'), 'absent'],
  ])('%s ends the dismissal within a second', async (_, end, stalled) => {
    const world = await off(await started([accessEntry()], { alerts: [inactive({})] }, true));
    end(world);
    await world.clock.advance(1000);
    expect(isActive(world)).toBe(true);
    expect(world.condition('owners', 'Stalled')).toBe(stalled);
  });

  it('before a list is sent stops it', async () => {
    const world = new FakeWorld({ maxConcurrent: 1 });
    world.live.set(scope, [alert()]);
    world.applyNamespace(namespace());
    world.apply(clusterConnection());
    world.controller.start();
    const { promise, resolve } = Promise.withResolvers<void>();
    world.live.set('subscriptions/b', [alert()]);
    world.duringList = () => promise;
    world.apply(clusterPolicy({ scope: 'subscriptions/b' }, 'first'));
    await world.clock.advance(0);
    world.apply(clusterPolicy());
    await world.clock.advance(0);
    world.applyNamespace(namespace({}));
    world.duringList = async () => undefined;
    resolve();
    await world.clock.advance(minuteMs);
    expect(world.requests.map((request) => request.scope)).toEqual(['subscriptions/b']);
    expect(world.condition('owners', 'Ready')).toBe('False/AccessDenied');
  });

  it('at the API server only, before its watch event, stops a deactivation', async () => {
    const world = await started([accessEntry()], {}, true);
    world.serverNamespaces.set('team', namespace({}));
    const { metadata, ...rest } = clusterPolicy({ alerts: [inactive({})] });
    world.apply({ ...rest, metadata: { ...metadata, generation: 2 } });
    await world.clock.advance(minuteMs);
    expect(world.count('patch')).toBe(0);
    world.serverNamespaces.clear();
    await world.clock.advance(10 * minuteMs);
    expect(world.requests.filter(({ kind }) => kind === 'patch')).toMatchObject([
      { alert: alertName, isActive: false },
    ]);
  });
});

describe('a grant that ends at the API server only, while the list before a deactivation takes a minute,', () => {
  it.each<readonly [string, (world: FakeWorld) => void]>([
    ['because of a label', (world) => world.serverNamespaces.set('team', namespace({}))],
    ['because the policy is gone', (world) => world.serverPolicies.set('team/owners', undefined)],
  ])('%s stops it', async (_, end) => {
    const world = await started([accessEntry()], {}, true);
    // The first list is too old for the deactivation, so the second one is made for it.
    const before = world.count('list');
    world.duringList = async () => {
      if (world.count('list') === before + 1) await sleep(world.clock, 10_000);
      if (world.count('list') !== before + 2) return;
      await sleep(world.clock, minuteMs / 2);
      end(world);
      await sleep(world.clock, minuteMs / 2);
    };
    const { metadata, ...rest } = clusterPolicy({ alerts: [inactive({})] });
    world.apply({ ...rest, metadata: { ...metadata, generation: 2 } });
    await world.clock.advance(2 * minuteMs);
    expect(world.count('list')).toBeGreaterThan(before + 1);
    expect(world.count('patch')).toBe(0);
  });
});

describe('a changed entry takes effect within a second, although other scopes wait for the rate limit:', () => {
  const entryOf = (team: string, change: Partial<AccessEntry> = {}) =>
    accessEntry({ namespaceSelector: { matchLabels: { team } }, ...change });

  function declare(world: FakeWorld, team: string, name: string, change: Partial<RoleAlertPolicy['spec']> = {}) {
    const spec = { connectionRef: throughCluster, scope: `subscriptions/${name}`, interval: '1h', ...change };
    world.live.set(spec.scope, [alert()]);
    world.apply(policy({ name, metadata: { namespace: team }, spec }));
  }

  /** The team `b` has the scopes x and y, the team `a` fifty others. */
  async function fleet(access: readonly AccessEntry[]) {
    const world = new FakeWorld({ rateLimits: { requestsPerHour: 3600, burst: 20 } });
    for (const team of ['a', 'b']) world.applyNamespace(namespace({ team }, { name: team, uid: `uid-${team}` }));
    world.apply(clusterConnection({ access }));
    for (let count = 0; count < 50; count++) declare(world, 'a', `a${count}`);
    for (const name of ['x', 'y']) declare(world, 'b', name, dismissing);
    world.controller.start();
    await world.clock.advance(10 * minuteMs);
    return world;
  }
  const readyOf = (world: FakeWorld) => ['x', 'y'].map((name) => world.condition(`b/${name}`, 'Ready'));
  const flagsOf = (world: FakeWorld) =>
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

it('an entry that is added serves the policy at once', async () => {
  const world = await started([]);
  expect(world.condition('owners', 'Ready')).toBe('False/AccessDenied');
  changeAccess(world, [accessEntry()]);
  await world.clock.advance(0);
  expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
  expect(world.condition('owners', 'Stalled')).toBe('absent');
});
