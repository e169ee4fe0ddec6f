// The end of a dismissal is reported once, as such. Later changes by others are a drift like any other.
import { expect, test } from 'vitest';

import { alert, alertName, connection, firing, inactive, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';
const minuteMs = 60_000;

test('a person who deactivates an alert after its dismissal expired is reported as a drift', async () => {
  const world = new FakeWorld({ intervalMs: minuteMs });
  world.live.set(scope, [firing(['6f1c'])]);
  const until = new Date(world.clock.now() + 10 * minuteMs).toISOString();
  world.apply(connection());
  world.apply(policy({ spec: { alerts: [inactive({ until })] } }));
  world.controller.start();
  await world.clock.advance(15 * minuteMs);
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
  const world = new FakeWorld({ intervalMs: minuteMs });
  world.live.set(scope, [firing(['6f1c'])]);
  world.apply(connection());
  world.apply(policy({ spec: { alerts: [inactive({ incidents: ['6f1c'] })] } }));
  world.controller.start();
  await world.clock.advance(10_000);
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

/** The message of InSync of the policy `owners`. */
function inSyncMessage(world: FakeWorld): string | undefined {
  const { conditions } = world.policies.get('team/owners')?.status ?? {};
  return conditions?.find(({ type }) => type === 'InSync')?.message;
}

test('a dismissal that new incidents end is reported once when a scan activates the alert first', async () => {
  const world = new FakeWorld({ intervalMs: minuteMs });
  world.live.set(scope, [firing(['6f1c'])]);
  world.apply(connection());
  world.apply(policy({ spec: { alerts: [inactive({ incidents: ['6f1c'] })] } }));
  world.controller.start();
  await world.clock.advance(10_000);
  expect(world.events).toEqual(['AlertDeactivated owners']);
  world.live.set(scope, [firing(['6f1c', '0a2b'])]);
  await world.clock.advance(10 * minuteMs);
  expect(world.events.slice(1)).toEqual(['IncidentsFound owners', 'NewIncidents owners']);
  expect(world.recordedEvents[2]?.type).toBe('Warning');
  expect(inSyncMessage(world)).toBe(
    `No alert differs from its desired state. Alert ${alertName}: active although declared Inactive, because incidents exceed the bound of the dismissal. ` +
      'Handle the incidents, or extend the dismissal.',
  );
  expect(world.policies.get('team/owners')?.status?.alerts?.[0]?.dismissalEnded).toBe('NewIncidents');
});

test('a dismissal that had ended when it was declared is reported once, and the alert stays active', async () => {
  const world = new FakeWorld({ intervalMs: minuteMs });
  world.live.set(scope, [alert()]);
  const until = new Date(world.clock.now() - minuteMs).toISOString();
  world.apply(connection());
  world.apply(policy({ spec: { alerts: [inactive({ until })] } }));
  world.controller.start();
  await world.clock.advance(10 * minuteMs);
  const { writes } = world.policies;
  const stored = world.policies.get('team/owners') ?? policy();
  const metadata = { ...stored.metadata, generation: 2 };
  world.apply({ ...stored, metadata, spec: { ...stored.spec, interval: '2m' } });
  await world.clock.advance(10 * minuteMs);
  expect([world.events, world.count('patch')]).toEqual([['DismissalExpired owners'], 0]);
  expect([world.condition('owners', 'InSync'), world.policies.writes - writes]).toEqual(['True/InSync', 1]);
  expect(inSyncMessage(world)).toContain(`because the dismissal has ended. Extend \`until\``);
});

test('an alert that is declared Inactive and not listed is reported once, and the policy is in sync', async () => {
  const world = new FakeWorld({ intervalMs: minuteMs });
  world.live.set(scope, [alert({ name: 'Other' })]);
  world.apply(connection());
  world.apply(policy({ spec: { alerts: [inactive({ maxIncidents: 1 })] } }));
  world.controller.start();
  await world.clock.advance(10 * minuteMs);
  expect(world.recordedEvents.map(({ type, reason }) => `${type} ${reason}`)).toEqual(['Warning AlertNotFound']);
  expect([world.condition('owners', 'Ready'), world.condition('owners', 'InSync')]).toEqual([
    'True/Succeeded',
    'True/InSync',
  ]);
  expect(inSyncMessage(world)).toContain(
    `Alert ${alertName}: declared Inactive, but not listed by the service. Check the name`,
  );
});

test.each(['before the PATCH has a response', 'before a list shows the PATCH'])(
  'corrections for a policy are not reported for its successor under the same name, created %s',
  async (moment) => {
    const world = new FakeWorld();
    const quiet = policy({ spec: { alerts: [inactive({ incidents: ['6f1c'] })] } });
    const replace = () => {
      world.remove(quiet);
      world.apply(policy({ metadata: { uid: 'uid-successor' } }));
    };
    world.live.set(scope, [firing(['6f1c'])]);
    world.apply(connection());
    world.apply(quiet);
    world.doesStick = false;
    world.duringPatch = async () => {
      if (moment === 'before the PATCH has a response' && world.count('patch') === 1) replace();
    };
    world.controller.start();
    await world.clock.advance(500);
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

test.each(['the grant is withdrawn', 'another policy wants the alert active'])(
  'an activation by the operator is no drift: %s',
  async (cause) => {
    const world = new FakeWorld();
    const prod = connection();
    const dismissing = policy({ name: 'dismissing', spec: { alerts: [inactive({ maxIncidents: 5 })] } });
    world.live.set(scope, [alert({ lastActor: 'Key' })]);
    world.apply(prod);
    world.apply(dismissing);
    world.controller.start();
    await world.clock.advance(minuteMs);
    expect(world.live.get(scope)?.[0]?.isActive).toBe(false);

    if (cause === 'the grant is withdrawn') {
      const metadata = { ...prod.metadata, generation: 2 };
      world.apply({ ...prod, metadata, spec: { ...prod.spec, deactivation: 'Deny' } });
    } else world.apply(policy({ name: 'guarding', spec: { alerts: [{ name: alertName, state: 'Active' }] } }));
    await world.clock.advance(minuteMs);
    expect(world.live.get(scope)?.[0]?.isActive).toBe(true);
    const [row] = world.policies.get('team/dismissing')?.status?.alerts ?? [];
    expect([row?.live, row?.lastDrift]).toEqual(['Active', undefined]);
  },
);
