// The circuit of a connection in virtual time: many scopes, a service that is away, one request at a time to find out.
import { describe, expect, it } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { alert, connection, minuteMs, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';

const scopes = 20;

function fleet(count: number, rateLimits?: { requestsPerHour: number; burst: number }): ControllerWorld {
  const world = new ControllerWorld({ intervalMs: minuteMs, ...(rateLimits && { rateLimits }) });
  world.apply(connection());
  for (let index = 0; index < count; index++) {
    world.live.set(`subscriptions/${index}`, [alert()]);
    world.apply(policy({ name: `owners-${index}`, spec: { scope: `subscriptions/${index}` } }));
  }
  return world;
}

async function started(count = scopes): Promise<ControllerWorld> {
  const world = fleet(count);
  await world.start(1000);
  expect(world.connectionReady()).toBe('True/Connected');
  return world;
}

const away = () => {
  throw new AlertsError('service-unreachable', 'The service could not be reached.');
};

const writesOf = ({ policies, connections }: ControllerWorld) => policies.writes + connections.writes;

describe('the circuit of a connection', () => {
  it('opens after five reconciles that did not reach the service, and then sends one request at a time', async () => {
    const world = await started();
    world.onRequest = away;
    await world.clock.advance(minuteMs);
    expect(world.connectionReady()).toBe('False/CircuitOpen');
    const first = world.count('list');
    await world.clock.advance(30 * minuteMs);
    // 1 s, 2 s, 4 s … up to 5 min, a fifth more or less: not twenty scopes that back off by themselves.
    expect(world.count('list') - first).toBeLessThanOrEqual(14);
    expect(world.count('list') - first).toBeGreaterThanOrEqual(5);
    expect(world.condition('owners-7', 'Ready')).toBe('False/ServiceUnreachable');
    expect(world.condition('owners-7', 'Reconciling')).toBe('True/ServiceUnreachable');
  });

  it('shows how it opened, as the policies do, and no trial that fails in another way writes a status', async () => {
    const world = await started(5);
    const shown = () => {
      const connectionReady = world.connections.get('team/prod')?.status?.conditions?.[0]?.message;
      const ready = world.policies.get('team/owners-0')?.status?.conditions?.[0]?.message;
      return [connectionReady, ready];
    };
    const failing = (reason: string) => () => {
      throw new AlertsError('service-unreachable', 'The service could not be reached.', { reason });
    };
    world.onRequest = failing('NameNotResolved');
    await world.clock.advance(10 * minuteMs);
    expect(world.connectionReady()).toBe('False/CircuitOpen');
    for (const message of shown()) expect(message).toContain('cannot be resolved');
    const before = shown();
    // Until the statuses are Stale.
    await world.clock.advance(60 * minuteMs);
    const settled = writesOf(world);
    world.onRequest = failing('Refused');
    await world.clock.advance(70 * minuteMs);
    expect(shown()).toEqual(before);
    expect(writesOf(world)).toBe(settled);
    expect(world.events.filter((event) => event.endsWith(' prod'))).toEqual(['CircuitOpen prod']);
  });

  it('holds back those who wait for the rate limiter, too', async () => {
    const world = fleet(scopes, { requestsPerHour: 3600, burst: 8 });
    world.onRequest = away;
    await world.start(10_000);
    expect(world.connectionReady()).toBe('False/CircuitOpen');
    const opened = world.requests.length;
    // Five, and then a trial after 1 s, 2 s and 4 s.
    expect(opened).toBeLessThanOrEqual(8);
    await world.clock.advance(30 * minuteMs);
    expect(world.requests.length - opened).toBeLessThanOrEqual(14);
    // Back again: everything is reconciled, as fast as the rate limiter lets them and no faster.
    world.onRequest = () => undefined;
    const before = world.requests.length;
    const sinceMs = world.clock.monotonic();
    await world.clock.advance(7 * minuteMs);
    expect(world.connectionReady()).toBe('True/Connected');
    for (const [count, { atMs }] of world.requests.slice(before).entries()) {
      expect(count + 1).toBeLessThanOrEqual(8 + (atMs - sinceMs) / 1000);
    }
    for (let index = 0; index < scopes; index++)
      expect(world.condition(`owners-${index}`, 'Ready')).toBe('True/Succeeded');
  });
});

const endMs = 50 * minuteMs;

/** All but one scope are reconciled every 15 minutes, that one when its suspension ends. */
function suspendedInPart(): ControllerWorld {
  const world = new ControllerWorld({ intervalMs: 15 * minuteMs });
  world.apply(connection());
  for (let index = 0; index < 8; index++) {
    const scope = `subscriptions/${index}`;
    world.live.set(scope, [alert()]);
    const suspended = { suspend: true, suspendUntil: new Date(world.clock.now() + endMs).toISOString() };
    world.apply(policy({ name: `owners-${index}`, spec: { scope, interval: '15m', ...(index === 1 && suspended) } }));
  }
  world.controller.start();
  return world;
}

async function microtasks(count: number): Promise<void> {
  for (let index = 0; index < count; index++) await Promise.resolve();
}

// A blocked scope waits from the same tick on, whatever else happens then.
it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
  'a scope that is blocked %i microtasks after the list that closes the circuit breaker began to end is requeued',
  async (ticks) => {
    const world = suspendedInPart();
    await world.clock.advance(1000);
    let isAway = true;
    world.onRequest = () => {
      if (isAway) throw new AlertsError('service-unreachable', 'as the test wants');
    };
    for (let second = 0; second < 3600 && world.connectionReady() !== 'False/CircuitOpen'; second++) {
      await world.clock.advance(1000);
    }
    expect(world.connectionReady()).toBe('False/CircuitOpen');
    await world.clock.advance(endMs - 1000 - world.clock.monotonic());
    isAway = false;
    const list = Promise.withResolvers<void>();
    world.duringList = () => list.promise;
    world.apply(
      policy({ name: 'owners-0', spec: { scope: 'subscriptions/0', interval: '15m' }, metadata: { generation: 2 } }),
    );
    await microtasks(50);
    world.clock.jump(1000);
    world.duringList = async () => undefined;
    const fromMs = world.clock.monotonic();
    list.resolve();
    await microtasks(ticks);
    // The queue hands out what is due whenever something is added to it; this scope rests.
    world.apply(policy({ name: 'resting', spec: { scope: 'subscriptions/resting', suspend: true } }));
    await world.clock.advance(minuteMs);
    const seen = world.requests.filter(({ scope }) => scope === 'subscriptions/1');
    expect(seen.some(({ atMs }) => atMs >= fromMs)).toBe(true);
  },
);
