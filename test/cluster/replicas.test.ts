// Several replicas of the operator on a real API server: one leads, the others keep warm caches and write nothing; the hand-over
// between them; and shards, each with its own connections. test/unit/operator/kube covers the exact timing.
import { Agent, type Dispatcher } from 'undici';
import { expect, onTestFinished, test } from 'vitest';

import { readBuildFacts } from '../../src/lib/build-facts.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { createApiServerConnection } from '../../src/operator/kube/api-server-connection.ts';
import { loadKubeconfig } from '../../src/operator/kube/kubeconfig.ts';
import { type ManagerValues, type RunningManager, startManager } from '../../src/operator/manager/manager.ts';
import { tomorrow } from '../support/builders/tomorrow.ts';
import { incident } from '../support/checks/canaries.ts';
import { errorLines } from '../support/checks/log-lines.ts';
import { type OperatorRig, startRig } from '../support/rigs/operator-rig.ts';
import { managerValues } from '../support/rigs/quiet-manager.ts';
import { describeWithControlPlane, eventually } from '../support/servers/control-plane.ts';

const scope = 'subscriptions/replicas-1';
const alert = 'TooManyOwnersAssignedToResource';
const scopes = { [scope]: [{ name: alert, properties: { isActive: true, alertIncidents: [incident('6f1c')] } }] };
const active = { scope, alerts: [{ name: alert, state: 'Active' }] };
const inactive = {
  scope,
  alerts: [
    {
      name: alert,
      state: 'Inactive',
      dismissal: { reason: 'tracked in SEC-1182', maxIncidents: 2, until: tomorrow() },
    },
  ],
};

interface LeaseFacts {
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  readonly leaseTransitions: number;
}

interface Replica extends Pick<RunningManager, 'lost' | 'stop'> {
  readonly lines: readonly string[];
  readonly metrics: () => Promise<string>;
  readonly leads: () => Promise<true>;
  /** What its own watches bring no longer reaches it, as through a connection that died in silence. */
  readonly standStill: () => void;
  readonly ready: () => Promise<true>;
}

describeWithControlPlane('replicas', (controlPlane) => {
  async function startReplica(rig: OperatorRig, name: string, change: Partial<ManagerValues> = {}): Promise<Replica> {
    const lines: string[] = [];
    const anyPort = { host: '127.0.0.1', port: 0 };
    let isStill = false;
    const load = () => loadKubeconfig({ path: controlPlane.kubeconfigPath, environment: {} });
    let connections = 0;
    const controller = await startManager(
      {
        ...managerValues(controlPlane.kubeconfigPath, rig.namespace),
        leaderElect: true,
        metricsBindAddress: anyPort,
        healthProbeBindAddress: anyPort,
        logLevel: 'debug',
        ...change,
      },
      {
        build: { ...readBuildFacts(), node: process.version },
        environment: {},
        reportingInstance: name,
        clock: systemClock,
        random: systemRandom,
        log: createLogger({ level: 'debug', format: 'json', sink: { write: (line) => void lines.push(line) } }),
        network: {
          connectCluster() {
            const connection = createApiServerConnection({ load, clock: systemClock, userAgent: 'rolealerts/test' });
            // The second one is the Lease's.
            const isOfLease = (connections += 1) > 1;
            return isOfLease ? connection : { ...connection, watches: stoppable(connection.watches, () => isStill) };
          },
          openService: () => new Agent(),
        },
      },
    );
    let stopping: Promise<void> | undefined;
    const stop = () => (stopping ??= controller.stop());
    onTestFinished(stop);
    const metrics = async () => (await fetch(`${controller.metricsURL}/metrics`)).text();
    return {
      lines,
      lost: controller.lost,
      stop,
      metrics,
      leads: () => eventually(`${name} leads`, async () => (isLeading(await metrics()) ? true : undefined)),
      standStill: () => {
        isStill = true;
      },
      ready: () =>
        eventually(`${name} is ready`, async () =>
          (await fetch(`${controller.probesURL}/readyz`)).status === 200 ? true : undefined,
        ),
    };
  }

  const lease = async (rig: OperatorRig, name = 'rolealerts') =>
    (await controlPlane.kubectlJson<{ spec: LeaseFacts }>(['get', 'lease', name, '--namespace', rig.namespace])).spec;
  const label = async (rig: OperatorRig, shard: string) => {
    const { status } = await rig.send('PATCH', 'rolealertconnections/prod', { metadata: { labels: { shard } } });
    expect(status).toBe(200);
  };

  async function leaderAndFollower(rig: OperatorRig): Promise<{ leader: Replica; follower: Replica }> {
    const leader = await startReplica(rig, 'first');
    await leader.leads();
    const follower = await startReplica(rig, 'second');
    await follower.ready();
    return { leader, follower };
  }

  test('one works; the other is ready, and sends and writes nothing at all', async () => {
    const rig = await startRig(controlPlane, { scopes, isStarted: false });
    await rig.createConnection();
    const { follower } = await leaderAndFollower(rig);
    await rig.turn(scope, alert, false);
    await rig.createPolicy('owners', active);
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    await rig.reconcileNow('owners');
    const metrics = await follower.metrics();
    expect(metrics).toMatch(/^leader_election_master_status\{name="rolealerts"\} 0$/m);
    expect(metrics).not.toMatch(/^rest_client_requests_total\{method="(update|create|patch)"/m);
    expect(metrics).not.toMatch(/^(rolealerts_service_requests|controller_runtime_reconcile)_total/m);
    expect(metrics).not.toContain('namespace="');
    expect(rig.proxy.count('patch')).toBe(1);
    expect(await lease(rig)).toMatchObject({ leaseDurationSeconds: 35, leaseTransitions: 0 });
    expect((await lease(rig)).holderIdentity).toMatch(/^first_[0-9a-f]{16}$/);
  });

  test('a leader that stops hands over, and the next one corrects', async () => {
    const rig = await startRig(controlPlane, { scopes, isStarted: false });
    await rig.createConnection();
    await rig.createPolicy('owners', active);
    const { leader, follower } = await leaderAndFollower(rig);
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    await leader.stop();
    await rig.turn(scope, alert, false);
    await eventually('corrected', async () => ((await rig.flag(scope, alert)) === true ? true : undefined));
    expect(await lease(rig)).toMatchObject({ leaseDurationSeconds: 35, leaseTransitions: 1 });
    expect((await lease(rig)).holderIdentity).toMatch(/^second_/);
    expect(leader.lines.some((line) => line.includes('"msg":"leader lease released"'))).toBe(true);
    await follower.stop();
    expect(await lease(rig)).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 1 });
  });

  test('a PATCH in progress at the hand-over ends before the next one begins', async () => {
    const rig = await startRig(controlPlane, { scopes, isStarted: false });
    await rig.createConnection();
    const { leader, follower } = await leaderAndFollower(rig);
    const held = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const holders: string[] = [];
    rig.proxy.intercept = async ({ kind }) => {
      if (kind !== 'patch') return undefined;
      held.resolve();
      await gate.promise;
      holders.push((await lease(rig)).holderIdentity.slice(0, 5));
      return undefined;
    };
    await rig.turn(scope, alert, false);
    await rig.createPolicy('owners', active);
    await held.promise;
    const stopped = leader.stop();
    gate.resolve();
    await stopped;
    await follower.leads();
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    expect(holders).toEqual(['first']);
  });

  test('the next leader takes over the record of dismissals, also when its watches stood still', async () => {
    const rig = await startRig(controlPlane, { scopes, isStarted: false });
    await rig.createConnection();
    const { leader, follower } = await leaderAndFollower(rig);
    follower.standStill();
    await rig.createPolicy('quiet', inactive);
    await rig.policyIs('quiet', 'Ready', 'True/Succeeded');
    expect(await rig.flag(scope, alert)).toBe(false);
    // Neither of them receives the deletion: the next leader can only find it by listing when it takes over.
    leader.standStill();
    await rig.deletePolicy('quiet');
    expect(await rig.flag(scope, alert)).toBe(false);
    await leader.stop();
    await rig.flagBecomes(scope, alert, true);
  });

  test('a leader whose Lease is taken says so, sends nothing more, and the other follows', async () => {
    const rig = await startRig(controlPlane, { scopes, isStarted: false });
    await rig.createConnection();
    await rig.createPolicy('owners', active);
    const leader = await startReplica(rig, 'first');
    await leader.leads();
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    const spec = { holderIdentity: 'another', leaseDurationSeconds: 3600 };
    await controlPlane.kubectl([
      'patch',
      'lease',
      'rolealerts',
      '--namespace',
      rig.namespace,
      '--type=merge',
      '--patch',
      JSON.stringify({ spec }),
    ]);
    await leader.lost;
    const sent = rig.proxy.requests.length;
    await rig.turn(scope, alert, false);
    await rig.send('PATCH', 'rolealertpolicies/owners', { spec: { interval: '5m' } });
    await leader.stop();
    expect([rig.proxy.requests.length, await rig.flag(scope, alert)]).toEqual([sent, false]);
    expect(errorLines(leader.lines)).toHaveLength(1);
    expect(await lease(rig)).toMatchObject(spec);
  });

  test('a connection that changes its shard takes its dismissals along', async () => {
    const rig = await startRig(controlPlane, { scopes, isStarted: false });
    await rig.createConnection();
    await label(rig, 'a');
    const alone = { leaderElect: false };
    await startReplica(rig, 'a', { ...alone, connectionSelector: 'shard=a' });
    const other = await startReplica(rig, 'b', { ...alone, connectionSelector: 'shard notin (a)' });
    await other.ready();
    await rig.createPolicy('quiet', inactive);
    await rig.policyIs('quiet', 'Ready', 'True/Succeeded');
    expect(await other.metrics()).not.toMatch(/^rolealerts_(service_requests|status_writes)_total/m);
    await label(rig, 'b');
    await eventually('the other shard reconciles', async () =>
      (await other.metrics()).includes('rolealerts_service_requests_total{operation="list"') ? true : undefined,
    );
    expect(rig.proxy.count('patch')).toBe(1);
    await rig.deletePolicy('quiet');
    await rig.flagBecomes(scope, alert, true);
    expect(rig.proxy.count('patch')).toBe(2);
  });

  test('a policy whose connection is in no shard reports that, and its shards agree', async () => {
    const rig = await startRig(controlPlane, { scopes, isStarted: false });
    const alone = { leaderElect: false };
    await startReplica(rig, 'a', { ...alone, connectionSelector: 'shard=a' });
    await startReplica(rig, 'b', { ...alone, connectionSelector: 'shard!=a' });
    await rig.createPolicy('owners', active);
    await rig.policyIs('owners', 'Ready', 'False/ConnectionNotFound');
    await rig.createConnection();
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
  });
});

function isLeading(metrics: string): boolean {
  return /^leader_election_master_status\{.*\} 1$/m.test(metrics);
}

function stoppable(watches: Dispatcher, isStill: () => boolean): Dispatcher {
  return watches.compose(
    (dispatch) => (options, handler) =>
      dispatch(options, {
        onRequestStart: (...args) => handler.onRequestStart?.(...args),
        onResponseStart: (...args) => handler.onResponseStart?.(...args),
        onResponseData: (...args) => (isStill() ? undefined : handler.onResponseData?.(...args)),
        onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
        onResponseError: (...args) => handler.onResponseError?.(...args),
      }),
  );
}
