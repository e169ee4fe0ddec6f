// An API server that is just starting answers 404 for resources that exist: only the watch says that an object is gone.
import { expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import { alert, connection, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

test('the health of a connection is written although a write of its status got a 404', async () => {
  const world = new FakeWorld({ intervalMs: minuteMs });
  world.live.set('subscriptions/a', [alert()]);
  world.apply(connection());
  world.apply(policy());
  world.onRequest = () => {
    throw new AlertsError('service-denied', '401');
  };
  world.controller.start();
  await world.clock.advance(minuteMs);
  expect(world.connectionReady()).toBe('False/Unauthorized');
  world.onRequest = () => undefined;
  world.onStatusWrite = (kind) => {
    if (kind === 'connection') throw new KubeError('kube-not-found', 'the server could not find the resource');
  };
  await world.clock.advance(minuteMs);
  world.onStatusWrite = () => undefined;
  await world.clock.advance(minuteMs);
  expect(world.connectionReady()).toBe('True/Connected');
});

test('a status that is not found because its connection was deleted is not retried', async () => {
  const world = new FakeWorld();
  world.live.set('subscriptions/a', [alert()]);
  world.apply(connection());
  world.controller.start();
  let tries = 0;
  world.onStatusWrite = (kind) => {
    if (kind !== 'connection') return;
    tries++;
    throw new KubeError('kube-not-found', 'gone');
  };
  world.apply(policy());
  await world.clock.advance(0);
  world.remove(connection());
  const before = tries;
  await world.clock.advance(hourMs);
  expect([before, tries]).toEqual([before, before]);
});

test('the status of a connection that is not there is not retried repeatedly', async () => {
  const world = new FakeWorld();
  world.apply(connection());
  world.apply(policy());
  world.controller.start();
  await world.clock.advance(0);
  world.remove(connection());
  world.apply(policy({ metadata: { generation: 2 } }));
  await world.clock.advance(hourMs);
  expect([world.condition('owners', 'Stalled'), world.clock.pendingTimers]).toEqual(['True/ConnectionNotFound', 0]);
});

test('a suspended policy gets its status although the API server answered 409 and then 404', async () => {
  const world = new FakeWorld();
  world.live.set('subscriptions/a', [alert()]);
  world.apply(connection());
  world.apply(policy({ spec: { suspend: true } }));
  let isFirst = true;
  world.onStatusWrite = (kind) => {
    if (kind !== 'policy' || !isFirst) return;
    isFirst = false;
    world.serverPolicies.set('team/owners', undefined);
    throw new KubeError('kube-conflict', 'another writer');
  };
  world.controller.start();
  await world.clock.advance(1000);
  world.serverPolicies.clear();
  await world.clock.advance(minuteMs);
  expect(world.condition('owners', 'Ready')).toMatch(/\/Suspended$/);
});

test('a policy that was deleted between the two answers is left alone', async () => {
  const world = new FakeWorld();
  world.live.set('subscriptions/a', [alert()]);
  world.apply(connection());
  world.apply(policy());
  world.onStatusWrite = (kind) => {
    if (kind !== 'policy') return;
    world.remove(policy());
    throw new KubeError('kube-conflict', 'another writer');
  };
  world.controller.start();
  await world.clock.advance(hourMs);
  expect(world.count('list')).toBe(1);
});
