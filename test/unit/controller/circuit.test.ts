// The circuit of a connection over the fake world: many scopes, a service that is away, one request at a time to find out.
import { describe, expect, it } from 'vitest';

import { OperatorError } from '../../../src/lib/errors.ts';
import { FakeWorld } from '../../support/fake-world.ts';
import { alert, connection, policy } from '../../support/plan-input.ts';

const minuteMs = 60_000;
const scopes = 20;

async function started(count = scopes): Promise<FakeWorld> {
  const world = new FakeWorld({ intervalMs: minuteMs });
  world.apply(connection());
  for (let index = 0; index < count; index++) {
    world.live.set(`subscriptions/${index}`, [alert()]);
    world.apply(policy({ name: `owners-${index}`, spec: { scope: `subscriptions/${index}` } }));
  }
  world.operator.start();
  await world.clock.advance(1000);
  expect(world.connectionReady()).toBe('True/Connected');
  return world;
}

const away = () => {
  throw new OperatorError('service-unreachable', 'The service could not be reached.');
};

describe('the circuit of a connection', () => {
  it('opens after five looks that did not reach the service, and then sends one request at a time', async () => {
    const world = await started();
    world.onRequest = away;
    await world.clock.advance(minuteMs);
    expect(world.connectionReady()).toBe('False/CircuitOpen');
    const first = world.count('list');
    await world.clock.advance(30 * minuteMs);
    // 16 s, 32 s, 64 s … up to 5 min, a fifth more or less: not twenty scopes that back off by themselves.
    expect(world.count('list') - first).toBeLessThanOrEqual(12);
    expect(world.count('list') - first).toBeGreaterThanOrEqual(5);
    expect(world.condition('owners-7', 'Ready')).toBe('False/ServiceUnreachable');
    expect(world.condition('owners-7', 'Reconciling')).toBe('True/ServiceUnreachable');
  });

  it('closes with the first answer, and every scope is looked at again', async () => {
    const world = await started();
    world.onRequest = away;
    await world.clock.advance(10 * minuteMs);
    world.onRequest = () => undefined;
    await world.clock.advance(6 * minuteMs);
    expect(world.connectionReady()).toBe('True/Connected');
    for (let index = 0; index < scopes; index++)
      expect(world.condition(`owners-${index}`, 'Ready')).toBe('True/Succeeded');
    expect(world.events.filter((event) => event.startsWith('Connection'))).toEqual([
      'ConnectionLost prod',
      'ConnectionRestored prod',
    ]);
  });

  it('closes with any answer, one that refuses the scope included', async () => {
    const world = await started(1);
    world.onRequest = away;
    await world.clock.advance(10 * minuteMs);
    expect(world.connectionReady()).toBe('False/CircuitOpen');
    world.onRequest = () => {
      throw new OperatorError('scope-not-found', 'The service does not know the scope.');
    };
    await world.clock.advance(6 * minuteMs);
    expect([world.connectionReady(), world.condition('owners-0', 'Ready')]).toEqual([
      'True/Connected',
      'False/ScopeNotFound',
    ]);
  });

  it('lets the look of an edit through, and tries on when the scope of the probe is gone', async () => {
    const world = await started(2);
    world.onRequest = away;
    await world.clock.advance(10 * minuteMs);
    const before = world.count('list');
    world.apply(
      policy({ name: 'owners-1', spec: { scope: 'subscriptions/1', interval: '2m' }, metadata: { generation: 2 } }),
    );
    await world.clock.advance(1000);
    expect(world.count('list')).toBe(before + 1);
    world.remove(policy({ name: 'owners-0', spec: { scope: 'subscriptions/0' } }));
    world.onRequest = () => undefined;
    await world.clock.advance(12 * minuteMs);
    expect(world.connectionReady()).toBe('True/Connected');
  });
});
