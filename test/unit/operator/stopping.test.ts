// The controller while it stops: running work ends as the objects want it by then.
import { expect, test } from 'vitest';

import { alert, connection, policy } from '../../support/builders/objects.ts';
import { FakeWorld } from '../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';

test('a policy that moves to another scope during the stop ends the corrections of its old one', async () => {
  const world = new FakeWorld();
  world.live.set(scope, [alert({ isActive: false })]);
  const answered = Promise.withResolvers<undefined>();
  world.duringList = () => answered.promise;
  world.apply(connection());
  world.apply(policy());
  world.controller.start();
  await world.clock.advance(0);
  const stopped = world.controller.stop(20_000);
  world.apply(policy({ spec: { scope: 'subscriptions/b' }, metadata: { generation: 2 } }));
  answered.resolve(undefined);
  await world.clock.advance(20_000);
  await stopped;
  expect(world.requests.map(({ kind, scope: at }) => `${kind} ${at}`)).toEqual([`list ${scope}`]);
});
