// Every oracle can fail: each case creates a violation by hand, bypassing the operator.
import { describe, expect, it } from 'vitest';

import { seededRandom } from '../../src/lib/random.ts';
import { canaryToken, serviceWords } from '../support/checks/canaries.ts';
import { simAlert } from './alerts/sim-alert.ts';
import { SimProcess } from './engine/sim-process.ts';
import type { Fate } from './engine/types.ts';
import { foreignOrigin } from './faults/service-faults.ts';
import { addScope, connectionOf, createFixture, createPolicy, deletePolicy, policyOf } from './fixture.ts';
import { readResources } from './kube/resources.ts';
import { attributionOracle } from './oracles/attribution.ts';
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
import { checkSeries } from './oracles/series.ts';
import { stalenessOracle } from './oracles/staleness.ts';
import { statusOracle } from './oracles/status.ts';
import { stormOracle } from './oracles/storms.ts';
import { windowsOracle } from './oracles/windows.ts';
import { kubeOrigin } from './replica.ts';
import { plainPlace } from './scenarios/generators.ts';
import { probeEdits } from './scenarios/probes.ts';
import { windowAt } from './scenarios/windows.ts';
import { otherOrigin, serviceOrigin, type World } from './world.ts';

const resources = await readResources();
const scope = 'subscriptions/one';
const policyPath = '/apis/rolealerts.dev/v1alpha1/namespaces/team/rolealertpolicies/owners';
const connectionStatusPath = '/apis/rolealerts.dev/v1alpha1/namespaces/team/rolealertconnections/prod/status';
const connectionsPath = '/apis/rolealerts.dev/v1alpha1/rolealertconnections';

const dismissed = (name: string) => ({
  name,
  state: 'Inactive',
  dismissal: { reason: 'tracked in SEC-1182', until: '2026-01-01T09:00:00Z' },
});
const entryOf = (policy: string, alert = 'A') => ({ scope, alert, policy, since: '2026-01-01T00:00:00Z' });

/** A process that does what a test demands, right or wrong. */
interface Rogue {
  send(origin: string, method: 'GET' | 'PATCH' | 'PUT', path: string, body?: object): Promise<void>;
  list(): Promise<void>;
  turn(alert: string, isActive: boolean): Promise<void>;
}

function rogueIn({ network, time }: World): Rogue {
  const dispatcher = network.openDispatcher(new SimProcess('rogue', time));
  const alerts = `/${scope}/providers/Vendor.Authorization/roleManagementAlerts`;
  const version = '?api-version=2022-08-01-preview';
  const send: Rogue['send'] = async (origin, method, path, body) => {
    const token = origin === kubeOrigin ? 'sim-token' : canaryToken;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    dispatcher.dispatch({ origin, method, path, headers, body: body ? JSON.stringify(body) : null }, {});
    await time.runUntil(time.nowMs + 100);
  };
  return {
    send,
    list: () => send(serviceOrigin, 'GET', `${alerts}${version}`),
    turn: (alert, isActive) =>
      send(serviceOrigin, 'PATCH', `${alerts}/${alert}${version}`, { properties: { isActive } }),
  };
}

/** The status of the connection, which has the finalizer. */
function writeStatus(world: World, status: object): void {
  const connection = connectionOf(world);
  const metadata = { ...connection?.metadata, finalizers: ['rolealerts.dev/dismissals'] };
  if (connection) world.api.store.put('rolealertconnections', { ...connection, metadata, status } as typeof connection);
}

type Condition = Readonly<Record<'type' | 'status' | 'reason', string>> & { readonly message?: string };
const ready = (status: string, reason: string): Condition => ({ type: 'Ready', status, reason });
const succeeded = [ready('True', 'Succeeded'), { type: 'ConnectionReady', status: 'True', reason: 'Connected' }];

/** The status of the policy. */
function report(rogue: Rogue, world: World, conditions: readonly Condition[], rest: object = {}): Promise<void> {
  const times = { lastTransitionTime: '2026-01-01T00:00:00Z', message: '' };
  const status = { observedGeneration: 1, conditions: conditions.map((each) => ({ ...times, ...each })), ...rest };
  return rogue.send(kubeOrigin, 'PUT', `${policyPath}/status`, { ...policyOf(world, 'owners'), status });
}

const drifted = {
  name: 'B',
  want: 'Inactive',
  live: 'Active',
  state: 'Quiet',
  result: 'Denied',
  severity: 'High',
  scanning: 'Enabled',
  incidents: { total: 0 },
  lastDrift: { at: '2026-01-01T00:00:01Z', actorClass: 'Key', direction: 'Activated' },
};

/** Another spec, which no watch has delivered to a process without one. */
const moveConnection = ({ api }: World) =>
  api.writes.mergePatch(api.resource('rolealertconnections'), 'team', 'prod', {
    spec: { endpoint: { baseURL: otherOrigin } },
  });

async function times(count: number, act: () => Promise<void>): Promise<void> {
  for (let index = 0; index < count; index++) await act();
}

async function turnOffAfterList(rogue: Rogue): Promise<void> {
  await rogue.list();
  await rogue.turn('A', false);
}

type Act = (rogue: Rogue, world: World) => unknown;

const wrongs: readonly (readonly [string, Oracle, Act, string])[] = [
  ['a deactivation that no policy declared', patchOracle, turnOffAfterList, 'no policy dismissed it'],
  ['more requests than the rate limit', budgetOracle, (rogue) => times(200, () => rogue.list()), 'over the rate limit'],
  [
    'more deactivations than an hour allows',
    hourlyOracle,
    (rogue) => times(12, () => rogue.turn('A', false)),
    'which allows 10',
  ],
  [
    'a deactivation that an older policy vetoes',
    boundsOracle,
    async (rogue, world) => {
      createPolicy(world, 'guests', { scope, alerts: [dismissed('A')] });
      await rogue.send(kubeOrigin, 'GET', policyPath);
      await turnOffAfterList(rogue);
    },
    'team/owners claims it Active',
  ],
  [
    'a deactivation outside the windows of its policy',
    windowsOracle,
    async (rogue, world) => {
      const correctionWindows = [windowAt('Deny', { atMs: 0, minutes: 60, timeZone: 'Asia/Kolkata' })];
      createPolicy(world, 'frozen', { scope, alerts: [dismissed('A')], correctionWindows });
      await turnOffAfterList(rogue);
    },
    'through team/prod while windows are closed',
  ],
  ['a deactivation that no ledger holds', ledgerOracle, (rogue) => rogue.turn('A', false), 'is not in the ledger'],
  [
    'more deactivations than damping allows',
    dampingOracle,
    async (rogue, world) => {
      createPolicy(world, 'guests', { scope, alerts: [dismissed('A')] });
      await times(4, () => turnOffAfterList(rogue));
    },
    'was deactivated 4 times, more often than damping allows',
  ],
  [
    'the use of a credential whose Secret is gone',
    credentialOracle,
    async (rogue, world) => {
      world.api.writes.delete(world.api.resource('secrets'), 'team', 'credential');
      await world.time.runUntil(119_900);
      await rogue.send(kubeOrigin, 'GET', '/api/v1/namespaces/team/secrets/credential');
      await rogue.list();
    },
    'with what team/credential held 120 s ago',
  ],
  [
    'the same failure again and again',
    stormOracle,
    (rogue) => times(70, () => rogue.send(serviceOrigin, 'GET', '/nothing')),
    'failed 61 times',
  ],
  [
    'a connection that is observed before it was tried',
    connectionOracle,
    (rogue, world) => {
      const status = { observedGeneration: 1, conditions: [] };
      return rogue.send(kubeOrigin, 'PUT', connectionStatusPath, { ...connectionOf(world), status });
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
      await report(rogue, world, succeeded);
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
      await report(rogue, world, succeeded);
    },
    'Succeeded without a whole list',
  ],
  [
    'Reconciling and Stalled at once',
    statusOracle,
    (rogue, world) => {
      const both = ['Reconciling', 'Stalled'].map((type) => ({ type, status: 'True', reason: 'RetryingWrite' }));
      return report(rogue, world, [...succeeded, ...both]);
    },
    'at once',
  ],
  [
    'a write that is being verified although nothing was sent',
    statusOracle,
    (rogue, world) => report(rogue, world, [ready('Unknown', 'VerifyingWrite')]),
    'VerifyingWrite, and its connection sent nothing',
  ],
  [
    'an activation by the operator as the drift of a key',
    attributionOracle,
    async (rogue, world) => {
      await rogue.turn('B', true);
      await report(rogue, world, [], { alerts: [drifted] });
    },
    'says Key activated B, which the operator did',
  ],
  ...[canaryToken, serviceWords].map((message): (typeof wrongs)[number] => [
    'a token, or the words of the service, in a status',
    secretsOracle,
    (rogue, world) => report(rogue, world, [{ type: 'X', status: 'True', reason: 'X', message }]),
    message === canaryToken ? 'wrote canary' : "the service's own words",
  ]),
  [
    'a bug in the log',
    healthyOracle,
    (_, world) => world.lines.push('{"msg":"reconcile failed unexpectedly"}'),
    'logged',
  ],
];

describe('an oracle reports', () => {
  it.each(wrongs)('%s', async (_sentence, oracle, act, expected) => {
    const world = createFixture(resources, { seed: 1 });
    const reports = watched(oracle, world);
    await act(rogueIn(world), world);
    oracle.atEnd?.(world, (what) => reports.push(what));
    expect(reports.join('\n')).toContain(expected);
  });

  it('a status that stays Ready within a pause of an hour', async () => {
    const answer = { status: 429, headers: { 'retry-after': '3600' }, body: '' };
    const fateOf = ({ origin }: { origin: string }): Fate =>
      origin === kubeOrigin ? { kind: 'deliver' } : { kind: 'replace', answer };
    const world: World = createFixture(resources, { seed: 1, fateOf });
    const reports = watched(stalenessOracle, world);
    const rogue = rogueIn(world);
    await report(rogue, world, [ready('True', 'Succeeded')], {
      effective: { mode: 'Enforce', interval: '1m0s', scope },
    });
    await rogue.list();
    while (world.time.nowMs < 400_000) {
      await rogue.send(kubeOrigin, 'GET', policyPath);
      await world.time.runUntil(world.time.nowMs + 5000);
    }
    expect(reports).toEqual(['team/owners is Ready 245 s into a pause']);
  });

  it('a scope that is not listed beside one that fails', async () => {
    const world = createFixture(resources, { seed: 1 });
    const lists = new ListTimes(world);
    addScope(world, scope, { A: true });
    createPolicy(world, 'owners', { scope, interval: '1m', alerts: [{ name: 'A', state: 'Active' }] });
    const reports: string[] = [];
    await rogueIn(world).list();
    await world.time.runUntil(2 * 3_600_000);
    world.lasting.all.push({ origin: serviceOrigin, scope: 'subscriptions/two', name: '500', fromMs: 0 });
    checkLiveness(world, lists, 0, (what) => reports.push(what));
    expect(reports).toEqual([expect.stringContaining('subscriptions/one of team/prod was not listed for')]);
  });

  it('an edit that is never served', async () => {
    const world = createFixture(resources, { seed: 1 });
    addScope(world, 'subscriptions/two', { A: true });
    createPolicy(world, 'owners', { scope: 'subscriptions/two', alerts: [{ name: 'A', state: 'Active' }] });
    const tell = probeEdits({ world, random: seededRandom(1), actsUntilMs: 0, place: plainPlace });
    await world.time.runUntil(310_000);
    const reports: string[] = [];
    tell((what) => reports.push(what));
    expect(reports).toEqual(['subscriptions/two of team/prod was edited and listed 300 s later']);
  });

  it('a series of a policy that is gone', async () => {
    let lagMs = 5;
    const world = createFixture(resources, { seed: 1, watchLagMs: () => lagMs });
    addScope(world, scope, { A: false });
    createPolicy(world, 'owners', { scope, interval: '1m', alerts: [{ name: 'A', state: 'Active' }] });
    await world.startReplica();
    await world.time.runUntil(30_000);
    lagMs = 600_000;
    deletePolicy(world, 'owners');
    const reports: string[] = [];
    await checkSeries(world, (what) => reports.push(what));
    expect(reports).toEqual([expect.stringMatching(/^replica-0 has a series \w+ of team\/owners/)]);
  });
});

describe('at rest, convergence reports', () => {
  it.each<[string, (world: World) => void, string[]]>([
    [
      'an alert that is not as wanted, and a policy and a connection without a decision',
      (world) => createPolicy(world, 'owners', { scope, alerts: [{ name: 'B', state: 'Active' }] }),
      [
        'B of subscriptions/one is not active, as team/owners wants it',
        'team/owners was not decided: generation 1, observed -1',
        'team/prod says it has undefined policies, and has 1',
        'team/prod says it has undefined scopes, and has 1',
        'team/prod predicts 0 requests per hour, and needs 4.0',
        'team/prod works and says Pending',
        'team/prod was not observed: generation 1',
      ],
    ],
    [
      'an entry of an active alert',
      (world) => writeStatus(world, { dismissals: [entryOf('team/guests')] }),
      ['team/prod keeps an entry of A of subscriptions/one, which is active'],
    ],
  ])('%s', (_, prepare, expected) => {
    const world = createFixture(resources, { seed: 1 });
    world.service.addScope(scope, [simAlert('A', true, 0), simAlert('B', false, 0)]);
    prepare(world);
    const reports: string[] = [];
    checkConvergence(world, (what) => reports.push(what));
    expect(expected.filter((what) => !reports.some((each) => each.includes(what)))).toEqual([]);
  });
});

function watched(oracle: Oracle, world: World): string[] {
  const reports: string[] = [];
  oracle.watch(world, (what) => reports.push(what));
  addScope(world, scope, { A: true, B: false });
  createPolicy(world, 'owners', { scope, alerts: [{ name: 'A', state: 'Active' }] });
  return reports;
}
