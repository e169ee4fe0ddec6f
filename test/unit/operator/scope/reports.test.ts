// What events and the history report, once each: the end of a dismissal, what others did after it, and what was done before a restart or a
// lost response.
import { describe, expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import { alertName, connection, firing, inactive, minuteMs, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';

const scope = 'subscriptions/a';

test('a person who deactivates an alert after its dismissal expired is reported as a drift', async () => {
  const world = new ControllerWorld({ intervalMs: minuteMs });
  world.live.set(scope, [firing(['6f1c'])]);
  const until = new Date(world.clock.now() + 10 * minuteMs).toISOString();
  world.apply(connection(), policy({ spec: { alerts: [inactive({ until })] } }));
  await world.start(15 * minuteMs);
  expect(world.live.get(scope)).toMatchObject([{ isActive: true }]);
  // It ends within seven days from the start.
  expect(world.events).toEqual(['AlertDeactivated owners', 'DismissalEnding owners', 'DismissalExpired owners']);
  expect(world.policies.get('team/owners')?.status?.alerts?.[0]?.lastDrift).toBeUndefined();

  world.live.set(scope, [firing(['6f1c'], { isActive: false, lastActor: 'User' })]);
  await world.clock.advance(2 * minuteMs);
  expect(world.live.get(scope)).toMatchObject([{ name: alertName, isActive: true }]);
  expect(world.events.slice(3)).toEqual(['DeactivatedByOthers owners', 'DriftCorrected owners']);
  expect(world.recordedEvents.at(-2)).toMatchObject({
    type: 'Warning',
    note: `Another client deactivated alert ${alertName} (inferred actor: User); its desired state is Active. Find out which client, or declare a dismissal.`,
  });
  const { alerts, history } = world.policies.get('team/owners')?.status ?? {};
  expect(alerts?.[0]?.lastDrift).toMatchObject({ actorClass: 'User', direction: 'Deactivated' });
  expect(history?.map(({ direction, reason, count }) => `${direction} ${reason} ${count}`)).toEqual([
    'Activated Drift 1',
    'Activated DismissalExpired 1',
    'Deactivated Dismissed 1',
  ]);
});

test('a person who deactivates an alert right after its dismissal has ended is reported as that person', async () => {
  const world = new ControllerWorld({ intervalMs: minuteMs });
  world.live.set(scope, [firing(['6f1c'])]);
  world.apply(connection(), policy({ spec: { alerts: [inactive({ incidents: ['6f1c'] })] } }));
  await world.start(10_000);
  expect(world.live.get(scope)).toMatchObject([{ isActive: false }]);
  world.live.set(scope, [firing(['6f1c', '0a2b'], { isActive: false, lastActor: 'Application' })]);
  await world.clock.advance(minuteMs);
  expect(world.events.splice(0)).toEqual(['AlertDeactivated owners', 'IncidentsFound owners', 'NewIncidents owners']);
  expect(world.connections.get('team/prod')?.status?.dismissals ?? []).toEqual([]);

  world.live.set(scope, [firing(['6f1c', '0a2b'], { isActive: false, lastActor: 'User' })]);
  await world.clock.advance(minuteMs);
  expect(world.events).toEqual(['DeactivatedByOthers owners', 'DriftCorrected owners']);
  const row = world.policies.get('team/owners')?.status?.alerts?.[0];
  expect(row?.lastDrift).toMatchObject({ actorClass: 'User', direction: 'Deactivated' });
});

test.each(['before the PATCH has a response', 'before a list shows the PATCH'])(
  'corrections for a policy are not reported for its successor under the same name, created %s',
  async (moment) => {
    const world = new ControllerWorld();
    const quiet = policy({ spec: { alerts: [inactive({ incidents: ['6f1c'] })] } });
    const replace = () => {
      world.remove(quiet);
      world.apply(policy({ metadata: { uid: 'uid-successor' } }));
    };
    world.live.set(scope, [firing(['6f1c'])]);
    world.apply(connection(), quiet);
    world.doesStick = false;
    world.duringPatch = async () => {
      if (moment === 'before the PATCH has a response' && world.count('patch') === 1) replace();
    };
    await world.start(500);
    if (moment === 'before a list shows the PATCH') replace();
    world.doesStick = true;
    world.turn(scope, alertName, false);
    await world.clock.advance(minuteMs);
    expect(world.events).toEqual(['AlertDeactivated prod', 'DriftCorrected owners']);
    const history = world.policies.get('team/owners')?.status?.history;
    expect(history?.map(({ direction }) => direction)).toEqual(['Activated']);
    const [row] = world.policies.get('team/owners')?.status?.alerts ?? [];
    expect(row?.lastDrift).toMatchObject({ actorClass: 'Self', direction: 'Deactivated' });
  },
);

test('a deactivation that ended with the operator is announced by the next one, for the policy that the ledger names', async () => {
  const before = new ControllerWorld();
  before.live.set(scope, [firing(['a'])]);
  before.apply(connection(), policy({ name: 'first' }), policy({ name: 'second' }));
  await before.start(minuteMs);
  before.onStatusWrite = (kind) => {
    if (kind === 'policy') throw new KubeError('kube-unreachable', 'away');
  };
  for (const name of ['first', 'second']) {
    const stored = before.policies.get(`team/${name}`) ?? policy();
    const spec = { ...stored.spec, alerts: [inactive({ incidents: ['a'] })] };
    before.apply({ ...stored, spec, metadata: { ...stored.metadata, generation: 2 } });
  }
  await before.clock.advance(minuteMs);
  expect([before.count('patch'), before.events]).toEqual([1, []]);
  const next = new ControllerWorld();
  next.live.set(scope, [...(before.live.get(scope) ?? [])]);
  next.apply(...before.connections.list(), ...before.policies.list());
  await next.start(60 * minuteMs);
  expect([next.count('patch'), next.events]).toEqual([0, ['AlertDeactivated first']]);
});

test('what another client deactivates after the operator was held is not announced as a deactivation of the operator', async () => {
  const world = new ControllerWorld({ intervalMs: minuteMs });
  const alerts = [inactive({ incidents: ['a'] })];
  world.live.set(scope, [firing(['a'])]);
  world.apply(connection(), policy({ spec: { alerts, damping: { maxDeactivations: 1, window: '6h' } } }));
  await world.start(5 * minuteMs);
  world.turn(scope, alertName, true);
  await world.clock.advance(1.5 * minuteMs);
  expect(world.condition('owners', 'Ready')).toBe('False/Flapping');
  world.turn(scope, alertName, false);
  await world.clock.advance(1.5 * minuteMs);
  expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
  expect([world.count('patch'), world.events]).toEqual([1, ['AlertDeactivated owners', 'Flapping owners']]);
});

describe('when the API server stores a status and its response is lost,', () => {
  const dismissing = policy({ spec: { alerts: [inactive({ incidents: ['a', 'b'] })] } });
  const historyOf = (world: ControllerWorld) =>
    world.policies.get('team/owners')?.status?.history?.map(({ count }) => count);

  /** `lose` loses the next response. `isAway`: the policy cannot be read right after it either. */
  function lossyWorld(isAway = false): { world: ControllerWorld; lose: () => void } {
    let [isNext, isLost] = [false, false];
    const world = new ControllerWorld({
      intervalMs: minuteMs,
      fence: (cluster) => ({
        ...cluster,
        replacePolicyStatus: async (...call) => {
          const stored = await cluster.replacePolicyStatus(...call);
          [isNext, isLost] = [false, isNext];
          if (isLost) throw new KubeError('kube-unreachable', 'lost');
          return stored;
        },
        readPolicy: async (...call) => {
          if (isAway && isLost) throw new KubeError('kube-unreachable', 'away');
          return cluster.readPolicy(...call);
        },
      }),
    });
    world.live.set(scope, [firing(['a'])]);
    world.apply(connection());
    return { world, lose: () => (isNext = true) };
  }

  test('the event of what a list found is emitted once', async () => {
    const { world, lose } = lossyWorld();
    world.apply(policy());
    await world.start(minuteMs);
    lose();
    world.live.set(scope, [firing(['a', 'b'])]);
    await world.clock.advance(10 * minuteMs);
    expect(world.events).toEqual(['IncidentsFound owners']);
  });

  test.each([false, true])('a correction is one event and counts once in the history (away: %s)', async (isAway) => {
    const { world, lose } = lossyWorld(isAway);
    lose();
    world.apply(dismissing);
    await world.start(100);
    world.onRequest = () => {
      throw new AlertsError('service-protocol', 'no JSON');
    };
    await world.clock.advance(10 * minuteMs);
    world.onRequest = () => undefined;
    await world.clock.advance(10 * minuteMs);
    expect([world.count('patch'), historyOf(world)]).toEqual([1, [1]]);
    expect(world.events.filter((event) => event.startsWith('AlertDeactivated')).length).toBeLessThanOrEqual(1);
  });

  test('a policy that is made anew has no part in it', async () => {
    const { world, lose } = lossyWorld();
    lose();
    world.apply(dismissing);
    await world.start(100);
    expect(world.events.splice(0)).toEqual(['AlertDeactivated owners']);
    const status = world.policies.get('team/owners')?.status;
    world.remove(dismissing);
    world.apply({ ...dismissing, metadata: { ...dismissing.metadata, uid: 'uid-anew' }, ...(status && { status }) });
    await world.clock.advance(10 * minuteMs);
    expect(world.events).toEqual([]);
  });
});
