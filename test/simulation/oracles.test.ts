// Every oracle can fail: each case creates a violation by hand, bypassing the operator.
import { describe, expect, it } from 'vitest';

import { seededRandom } from '../../src/lib/random.ts';
import { canaryToken, serviceWords } from '../support/checks/canaries.ts';
import { simAlert } from './alerts/sim-alert.ts';
import { foreignOrigin } from './faults/service-faults.ts';
import { addScope, connectionOf, createFixture, createPolicy, policyOf } from './fixture.ts';
import { readResources } from './kube/resources.ts';
import type { Json } from './kube/spec-rules.ts';
import { boundsOracle } from './oracles/bounds.ts';
import { budgetOracle, retryAfterOracle } from './oracles/budget.ts';
import { connectionOracle } from './oracles/connections.ts';
import { checkConvergence } from './oracles/convergence.ts';
import { credentialOracle } from './oracles/credentials.ts';
import { dampingOracle } from './oracles/damping.ts';
import { healthyOracle } from './oracles/healthy.ts';
import { hourlyOracle } from './oracles/hourly.ts';
import { ledgerOracle } from './oracles/ledger.ts';
import { checkLiveness, ListTimes } from './oracles/liveness.ts';
import type { Oracle } from './oracles/oracle.ts';
import { patchOracle } from './oracles/patches.ts';
import { secretsOracle } from './oracles/secrets.ts';
import { statusOracle } from './oracles/status.ts';
import { stormOracle } from './oracles/storms.ts';
import { windowsOracle } from './oracles/windows.ts';
import { kubeOrigin } from './replica.ts';
import { type Rogue, rogueIn } from './rogue.ts';
import { plainPlace } from './scenarios/generators.ts';
import { probeEdits } from './scenarios/probes.ts';
import { windowAt } from './scenarios/windows.ts';
import { otherOrigin, serviceOrigin, type World } from './world.ts';

const resources = await readResources();
const scope = 'subscriptions/one';
const connectionStatusPath = '/apis/rolealerts.dev/v1alpha1/namespaces/team/rolealertconnections/prod/status';
const connectionsPath = '/apis/rolealerts.dev/v1alpha1/rolealertconnections';
function moveConnection({ api }: World, baseURL = otherOrigin): void {
  const patch = { spec: { endpoint: { baseURL } } };
  api.writes.mergePatch(api.resource('rolealertconnections'), 'team', 'prod', patch);
}
const dismissed = (name: string, until: string) => ({
  name,
  state: 'Inactive',
  dismissal: { reason: 'tracked in SEC-1182', until },
});
const statusPath = '/apis/rolealerts.dev/v1alpha1/namespaces/team/rolealertpolicies/owners/status';
/** A second connection with the same credential. */
function copyConnection(world: World, name: string): void {
  const { api } = world;
  const sent = { metadata: { name }, spec: connectionOf(world)?.spec };
  api.writes.create(api.resource('rolealertconnections'), 'team', sent);
}

function writeStatus(world: World, status: object): void {
  const connection = connectionOf(world);
  const metadata = { ...connection?.metadata, finalizers: ['rolealerts.dev/dismissals'] };
  if (connection)
    world.api.store.put('rolealertconnections', {
      ...connection,
      metadata,
      status: { ...status },
    } as typeof connection);
}

/** An entry in the ledger of the connection. */
function recordDismissal(world: World, policy: string): void {
  const entry = { scope, alert: 'A', policy, since: '2026-01-01T00:00:00Z' };
  writeStatus(world, { observedGeneration: 1, conditions: [], dismissals: [entry] });
}

function entriesReportedIn(world: World): string[] {
  const reports: string[] = [];
  checkConvergence(world, (what) => reports.push(what));
  return reports.filter((what) => what.includes('keeps an entry'));
}

const succeeded = (world: World, conditions: object[] = []) => ({
  ...policyOf(world, 'owners'),
  status: {
    observedGeneration: 1,
    conditions: [
      { type: 'Ready', status: 'True', reason: 'Succeeded' },
      { type: 'ConnectionReady', status: 'True', reason: 'Connected' },
      ...conditions,
    ].map((condition) => ({ lastTransitionTime: '2026-01-01T00:00:00Z', message: '', ...condition })),
  },
});

const wrongs: readonly (readonly [string, Oracle, (rogue: Rogue, world: World) => Promise<void>, string])[] = [
  ['a PATCH of what no list held', patchOracle, (rogue) => rogue.turn('A', true), 'did not hold'],
  [
    'an activation that no policy wants',
    patchOracle,
    async (rogue) => {
      await rogue.list();
      await rogue.turn('B', true);
    },
    'no policy wanted that',
  ],
  [
    'a deactivation that no policy declared',
    patchOracle,
    async (rogue) => {
      await rogue.list();
      await rogue.turn('A', false);
    },
    'no policy dismissed it',
  ],
  [
    'more requests than the rate limit',
    budgetOracle,
    async (rogue) => {
      for (let index = 0; index < 200; index++) await rogue.list();
    },
    'over the rate limit',
  ],
  [
    'more deactivations than an hour allows',
    hourlyOracle,
    async (rogue) => {
      for (let index = 0; index < 12; index++) await rogue.turn('A', false);
    },
    'which allows 10',
  ],
  [
    'a deactivation on a list of long ago',
    boundsOracle,
    async (rogue, world) => {
      await rogue.list();
      await world.time.runUntil(120_000);
      await rogue.turn('A', false);
    },
    'no whole list within',
  ],
  [
    'a deactivation whose end has passed',
    boundsOracle,
    async (rogue, world) => {
      createPolicy(world, 'ended', { scope, alerts: [dismissed('A', '2026-01-01T00:00:00Z')] });
      await rogue.list();
      await rogue.turn('A', false);
    },
    'nothing that it may take for true declares it',
  ],
  [
    'a deactivation that an older policy vetoes',
    boundsOracle,
    async (rogue, world) => {
      createPolicy(world, 'guests', { scope, alerts: [dismissed('A', '2026-01-01T09:00:00Z')] });
      await rogue.send(kubeOrigin, 'GET', statusPath.replace('/status', ''));
      await rogue.list();
      await rogue.turn('A', false);
    },
    'team/owners claims it Active',
  ],
  [
    'a deactivation outside the windows of its policy',
    windowsOracle,
    async (rogue, world) => {
      const correctionWindows = [windowAt('Deny', { atMs: 0, minutes: 60, timeZone: 'Asia/Kolkata' })];
      createPolicy(world, 'frozen', { scope, alerts: [dismissed('A', '2026-01-01T09:00:00Z')], correctionWindows });
      await rogue.list();
      await rogue.turn('A', false);
    },
    'through team/prod while windows are closed',
  ],
  [
    'a deactivation that no ledger holds',
    ledgerOracle,
    async (rogue) => {
      await rogue.turn('A', false);
    },
    'is not in the ledger',
  ],
  [
    'a deactivation under the entry of an earlier one',
    ledgerOracle,
    async (rogue, world) => {
      recordDismissal(world, 'team/gone');
      await world.time.runUntil(150_000);
      await rogue.turn('A', false);
    },
    'its entry says since 2026-01-01T00:00:00Z',
  ],
  [
    'a deactivation through a connection without the finalizer',
    ledgerOracle,
    async (rogue, world) => {
      recordDismissal(world, 'team/owners');
      const connection = connectionOf(world);
      const metadata = { ...connection?.metadata, finalizers: [] };
      if (connection) world.api.store.put('rolealertconnections', { ...connection, metadata } as typeof connection);
      await rogue.turn('A', false);
    },
    'team/prod has no finalizer',
  ],
  [
    'more deactivations than damping allows',
    dampingOracle,
    async (rogue, world) => {
      createPolicy(world, 'guests', { scope, alerts: [dismissed('A', '2026-01-01T09:00:00Z')] });
      for (let index = 0; index < 4; index++) {
        await rogue.list();
        await rogue.turn('A', false);
      }
    },
    'was deactivated 4 times, more often than damping allows',
  ],
  [
    'the use of a credential whose Secret is gone',
    credentialOracle,
    async (rogue, world) => {
      world.api.writes.delete(world.api.resource('secrets'), 'team', 'credential');
      await world.time.runUntil(120_000);
      await rogue.list();
    },
    'with what team/credential held 120 s ago',
  ],
  [
    'the same failure again and again',
    stormOracle,
    async (rogue) => {
      for (let index = 0; index < 70; index++) await rogue.send(serviceOrigin, 'GET', '/nothing');
    },
    'failed 61 times',
  ],
  [
    'a connection that is observed before it was tried',
    connectionOracle,
    async (rogue, world) => {
      const status = { observedGeneration: 1, conditions: [] };
      await rogue.send(kubeOrigin, 'PUT', connectionStatusPath, { ...connectionOf(world), status });
    },
    'with which nothing was tried',
  ],
  ['a request to another host', retryAfterOracle, (rogue) => rogue.send(foreignOrigin, 'GET', '/'), 'talked to'],
  [
    'Succeeded although the alert is inactive',
    statusOracle,
    async (rogue, world) => {
      world.service.turn(scope, 'A', false, 'User');
      await rogue.list();
      await rogue.send(kubeOrigin, 'PUT', statusPath, succeeded(world));
    },
    'is inactive',
  ],
  [
    'Succeeded by the list of a service that a watch said the connection has left',
    statusOracle,
    async (rogue, world) => {
      void rogue.send(kubeOrigin, 'GET', `${connectionsPath}?watch=true&resourceVersion=0&timeoutSeconds=300`);
      await rogue.list();
      moveConnection(world);
      await rogue.list();
      await rogue.send(kubeOrigin, 'PUT', statusPath, succeeded(world));
    },
    'Succeeded without a whole list',
  ],
  [
    'Reconciling and Stalled at once',
    statusOracle,
    (rogue, world) => {
      const both = ['Reconciling', 'Stalled'].map((type) => ({ type, status: 'True', reason: 'RetryingWrite' }));
      return rogue.send(kubeOrigin, 'PUT', statusPath, succeeded(world, both));
    },
    'at once',
  ],
  [
    'a token in a status',
    secretsOracle,
    (rogue, world) =>
      rogue.send(
        kubeOrigin,
        'PUT',
        statusPath,
        succeeded(world, [{ type: 'X', status: 'True', reason: 'X', message: canaryToken }]),
      ),
    'wrote canary',
  ],
  [
    "the service's own words in a status",
    secretsOracle,
    (rogue, world) =>
      rogue.send(
        kubeOrigin,
        'PUT',
        statusPath,
        succeeded(world, [{ type: 'X', status: 'True', reason: 'X', message: serviceWords }]),
      ),
    "the service's own words",
  ],
  [
    'a bug in the log',
    healthyOracle,
    async (_rogue, world) => {
      world.lines.push('{"msg":"reconcile failed unexpectedly"}');
    },
    'logged',
  ],
];

describe('an oracle reports', () => {
  it.each(wrongs)('%s', async (_sentence, oracle, act, expected) => {
    const world = createFixture(resources, { seed: 1 });
    const reports: string[] = [];
    oracle.watch(world, (what) => reports.push(what));
    addScope(world, scope, { A: true, B: false });
    createPolicy(world, 'owners', { scope, alerts: [{ name: 'A', state: 'Active' }] });
    await act(rogueIn(world), world);
    oracle.atEnd?.(world, (what) => reports.push(what));
    expect(reports.join('\n')).toContain(expected);
  });

  it('a scope that is not listed beside one that fails', async () => {
    const world = createFixture(resources, { seed: 1 });
    const times = new ListTimes(world);
    addScope(world, scope, { A: true });
    createPolicy(world, 'owners', { scope, interval: '1m', alerts: [{ name: 'A', state: 'Active' }] });
    const reports: string[] = [];
    await rogueIn(world).list();
    await world.time.runUntil(2 * 3_600_000);
    world.lasting.all.push({ origin: serviceOrigin, scope: 'subscriptions/two', name: '500', fromMs: 0 });
    checkLiveness(world, times, 0, (what) => reports.push(what));
    expect(reports).toEqual([expect.stringContaining('subscriptions/one of team/prod was not listed for')]);
  });

  it.each([
    ['whose connection stays', undefined, ['subscriptions/two of team/prod was edited and listed 300 s later']],
    ['whose connection goes too late', 200_000, ['subscriptions/two of team/prod was edited and listed 190 s later']],
    ['except when its connection goes before that', 30_000, []],
  ])('an edit that is never served, %s', async (_when, goesAtMs, expected) => {
    const world = createFixture(resources, { seed: 1 });
    addScope(world, 'subscriptions/two', { A: true });
    createPolicy(world, 'owners', { scope: 'subscriptions/two', alerts: [{ name: 'A', state: 'Active' }] });
    const report = probeEdits({ world, random: seededRandom(1), actsUntilMs: 0, place: plainPlace });
    const { writes } = world.api;
    const go = () => writes.delete(world.api.resource('rolealertconnections'), 'team', 'prod');
    if (goesAtMs !== undefined) world.time.schedule(goesAtMs, go);
    await world.time.runUntil(310_000);
    const reports: string[] = [];
    report((what) => reports.push(what));
    expect(reports).toEqual(expected);
  });

  it('an alert that is not as wanted, and a policy and a connection without a decision', () => {
    const world = createFixture(resources, { seed: 1 });
    world.service.addScope(scope, [simAlert('A', false, 0)]);
    createPolicy(world, 'owners', { scope, alerts: [{ name: 'A', state: 'Active' }] });
    const reports: string[] = [];
    checkConvergence(world, (what) => reports.push(what));
    expect(reports).toEqual([
      'A of subscriptions/one is not active, as team/owners wants it',
      'team/owners was not decided: generation 1, observed -1',
      'team/prod says it has undefined policies, and has 1',
      'team/prod says it has undefined scopes, and has 1',
      'team/prod predicts 0 requests per hour, and needs 4.0',
      'team/prod works and says Pending',
      'team/prod was not observed: generation 1',
    ]);
  });

  it.each([
    ['absent', ['team/prod keeps an entry of A of subscriptions/one for team/absent, which does not declare it']],
    ['owners', []],
    ['guests', ['team/prod keeps an entry of A of subscriptions/one for team/guests, which does not declare it']],
  ])(
    'an entry for a policy that declares nothing, or declares it through another connection: %s',
    (policy, expected) => {
      const world = createFixture(resources, { seed: 1 });
      world.service.addScope(scope, [simAlert('A', false, 0)]);
      copyConnection(world, 'other');
      createPolicy(world, 'owners', { scope, alerts: [dismissed('A', '2026-01-01T09:00:00Z')] });
      createPolicy(world, 'guests', {
        scope,
        connectionRef: { name: 'other' },
        alerts: [dismissed('A', '2026-01-01T09:00:00Z')],
      });
      const shown = { until: '2026-01-01T09:00:00Z', ...(policy === 'owners' && { reason: 'tracked in SEC-1182' }) };
      const entry = { scope, alert: 'A', policy: `team/${policy}`, since: '2026-01-01T00:00:00Z', ...shown };
      writeStatus(world, { dismissals: [entry] });
      expect(entriesReportedIn(world)).toEqual(expected);
    },
  );

  it.each<[string, Json, string[]]>([
    ['another end than its policy declares', { until: '2026-01-02T00:00:00Z' }, ['until 2026-01-02T00:00:00Z and not']],
    ['a bound that its policy does not declare', { incidents: 2 }, ['incidents 2 and not undefined']],
    ['no reason', { reason: undefined }, ['reason undefined and not tracked in SEC-1182']],
    ['what its policy declares', {}, []],
  ])('an entry that shows %s', (_, change, expected) => {
    const world = createFixture(resources, { seed: 1 });
    world.service.addScope(scope, [simAlert('A', false, 0)]);
    copyConnection(world, 'other');
    const alerts = [dismissed('A', '2026-01-01T09:00:00Z')];
    createPolicy(world, 'owners', { scope, alerts });
    createPolicy(world, 'guests', { scope, connectionRef: { name: 'other' }, alerts });
    const shown = { until: '2026-01-01T09:00:00Z', reason: 'tracked in SEC-1182' };
    const entry = { scope, alert: 'A', policy: 'team/owners', since: '2026-01-01T00:00:00Z', ...shown, ...change };
    writeStatus(world, { dismissals: [entry] });
    expect(entriesReportedIn(world)).toEqual(expected.map((what) => expect.stringContaining(`shows ${what}`)));
  });

  it('a register that is not sorted by the end, and a wrong count', () => {
    const world = createFixture(resources, { seed: 1 });
    const entry = { scope, alert: 'A', policy: 'team/owners', since: '2026-01-01T00:00:00Z' };
    writeStatus(world, { dismissalCount: 3, dismissals: [entry, { ...entry, alert: 'B', until: entry.since }] });
    const reports: string[] = [];
    checkConvergence(world, (what) => reports.push(what));
    expect(reports).toEqual(
      expect.arrayContaining([
        'team/prod: its register is not sorted by the end',
        'team/prod: counts 3 dismissals and lists 2',
      ]),
    );
  });

  it('an entry of an active alert, though another connection waits to deactivate that', () => {
    const world = createFixture(resources, { seed: 1 });
    world.service.addScope(scope, [simAlert('A', true, 0)]);
    copyConnection(world, 'other');
    const alerts = [dismissed('A', '2026-01-01T09:00:00Z')];
    createPolicy(world, 'guests', { scope, connectionRef: { name: 'other' }, alerts });
    const entry = { scope, alert: 'A', policy: 'team/guests', since: '2026-01-01T00:00:00Z' };
    writeStatus(world, { dismissals: [entry] });
    expect(entriesReportedIn(world)).toEqual(['team/prod keeps an entry of A of subscriptions/one, which is active']);
  });
});

describe('a connection that says it observed its last edit', () => {
  it.each<[string, string, number, number]>([
    ['is right with the spec that was tried, which an edit took back', serviceOrigin, 0, 0],
    ['is wrong when that try is over a minute old', serviceOrigin, 61_000, 1],
    ['is wrong with another spec', `${otherOrigin}/other`, 0, 1],
  ])('%s', async (_, baseURL, laterMs, count) => {
    const world = createFixture(resources, { seed: 1 });
    const reports: string[] = [];
    connectionOracle.watch(world, (what) => reports.push(what));
    addScope(world, scope, { A: true });
    const rogue = rogueIn(world);
    moveConnection(world, serviceOrigin);
    await rogue.list();
    moveConnection(world);
    moveConnection(world, baseURL);
    await world.time.runUntil(world.time.nowMs + laterMs);
    const connection = connectionOf(world);
    const status = { observedGeneration: connection?.metadata.generation, conditions: [] };
    await rogue.send(kubeOrigin, 'PUT', connectionStatusPath, { ...connection, status });
    expect(reports).toHaveLength(count);
  });
});

describe('an oracle accepts', () => {
  it('Succeeded by the list of the service that the connection has left, while no watch says so', async () => {
    const world = createFixture(resources, { seed: 1 });
    const reports: string[] = [];
    statusOracle.watch(world, (what) => reports.push(what));
    addScope(world, scope, { A: true });
    createPolicy(world, 'owners', { scope, alerts: [{ name: 'A', state: 'Active' }] });
    const rogue = rogueIn(world);
    await rogue.send(kubeOrigin, 'GET', `${connectionsPath}?limit=500`);
    moveConnection(world);
    await rogue.list();
    await rogue.send(kubeOrigin, 'PUT', statusPath, succeeded(world));
    expect(reports).toEqual([]);
  });
});
