// What the metrics count of a reconcile, and that their series are of objects that exist: what is in progress when one is deleted must not
// bring them back.
import { expect, test } from 'vitest';

import { sleep } from '../../../../src/lib/clock.ts';
import { onlyOfExisting } from '../../../../src/operator/controller.ts';
import type { ClusterPort, Observer } from '../../../../src/operator/ports.ts';
import { errorOf } from '../../../support/builders/errors.ts';
import { alert, connection, firing, inactive, minuteMs, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';

/** A world where a list of `subscriptions/a` is in progress, and drift to be corrected after it. */
async function inTheMiddleOfAList(): Promise<ControllerWorld> {
  const world = new ControllerWorld({ intervalMs: minuteMs });
  world.live.set('subscriptions/a', [alert()]);
  world.apply(connection(), policy(), policy({ name: 'second' }));
  await world.start(1000);
  world.turn('subscriptions/a', alert().name, false);
  world.duringList = () => sleep(world.clock, 2000);
  await world.clock.advance(minuteMs);
  return world;
}

test('a connection that is deleted during a list has no series afterwards, even while policies still name it', async () => {
  const world = await inTheMiddleOfAList();
  expect([...world.connectionSeries]).toEqual(['team/prod']);
  world.remove(connection());
  world.apply(policy({ name: 'third' }));
  await world.clock.advance(24 * 60 * minuteMs);
  expect([...world.connectionSeries]).toEqual([]);
});

test('a connection shows when its oldest unverified write was sent, until a list shows the write', async () => {
  const world = new ControllerWorld({ intervalMs: minuteMs });
  world.doesStick = false;
  world.live.set('subscriptions/a', [alert({ isActive: false })]).set('subscriptions/b', [alert({ isActive: false })]);
  world.apply(connection(), policy());
  world.controller.start();
  const sinceMs = world.clock.now();
  await world.clock.advance(1000);
  world.apply(policy({ name: 'second', spec: { scope: 'subscriptions/b' } }));
  await world.clock.advance(1000);
  expect(world.controller.unverifiedSinceMs(connection())).toBe(sinceMs);
  for (const scope of ['subscriptions/a', 'subscriptions/b']) world.turn(scope, alert().name, true);
  await world.clock.advance(minuteMs);
  expect(world.controller.unverifiedSinceMs(connection())).toBeUndefined();
});

const refused: ControllerWorld['onRequest'] = ({ kind }) => {
  if (kind === 'patch') throw errorOf('alert-refused', 'no', { serviceCode: 'Nope' });
};
const off = policy({ spec: { alerts: [inactive({ incidents: ['6f1c'] })] } });

test.each<[string, typeof off, (world: ControllerWorld) => void, string[]]>([
  ['an activation that was seen', policy(), () => undefined, ['activate sent', 'Declared']],
  ['a deactivation that was seen', off, () => undefined, ['deactivate sent', 'DismissalHolds']],
  ['a PATCH that was refused', policy(), (world) => (world.onRequest = refused), ['activate failed']],
  ['a PATCH without effect', policy(), (world) => (world.doesStick = false), ['activate sent']],
])(
  '%s is counted by its direction and result, and by its cause once it is corrected',
  async (_, object, prepare, counts) => {
    const world = new ControllerWorld();
    world.live.set('subscriptions/a', [firing(['6f1c'], { isActive: object === off })]);
    prepare(world);
    world.apply(connection(), object);
    await world.start(500);
    const ofConnection = world.counted.filter((each) => each.startsWith('team/'));
    expect(ofConnection).toEqual(counts.map((each) => `team/prod ${each}`));
    expect(world.counted.filter((each) => each === 'policy')).toHaveLength(1);
  },
);

const ofExisting = ['actionEnded', 'correctionSeen', 'connectionSeen', 'roundCompleted'];

/** All calls of an observer for one connection, in order. */
function reportsOf(connectionKey: string): string[] {
  const reports: string[] = [];
  const facts = ['reconcileEnded', 'connectionForgotten', 'statusWritten', ...ofExisting];
  const note = (fact: string) => (key: string) => void reports.push(`${fact} ${key}`);
  const noting = Object.fromEntries(facts.map((fact) => [fact, note(fact)])) as unknown as Observer;
  const caches = { connections: new Map([['team/prod', connection()]]) } as unknown as ClusterPort;
  const observer = onlyOfExisting(noting, caches);
  observer.actionEnded(connectionKey, 'activate', 'sent');
  observer.correctionSeen(connectionKey, 'Declared');
  observer.connectionSeen(connectionKey, 'Connected', undefined);
  observer.roundCompleted(connectionKey);
  observer.reconcileEnded('corrected', 12);
  observer.connectionForgotten(connectionKey);
  observer.statusWritten('policy');
  return reports;
}

test('no series begins for a deleted connection, and its end is reported', () => {
  const ofAny = (key: string) => ['reconcileEnded corrected', `connectionForgotten ${key}`, 'statusWritten policy'];
  expect(reportsOf('team/prod')).toEqual([...ofExisting.map((fact) => `${fact} team/prod`), ...ofAny('team/prod')]);
  expect(reportsOf('team/gone')).toEqual(ofAny('team/gone'));
});
