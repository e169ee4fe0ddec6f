// What events and the history report, once each: also what was done for a former policy, before a restart or before a lost response.
import { describe, expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import { alertName, connection, firing, inactive, minuteMs, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';

const scope = 'subscriptions/a';

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
