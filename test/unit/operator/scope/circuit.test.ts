// The circuit of a connection over the fake world: many scopes, a service that is away, one request at a time to find out.
import { describe, expect, it } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { alert, connection, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const minuteMs = 60_000;
const scopes = 20;

async function started(count = scopes): Promise<FakeWorld> {
  const world = new FakeWorld({ intervalMs: minuteMs });
  world.apply(connection());
  for (let index = 0; index < count; index++) {
    world.live.set(`subscriptions/${index}`, [alert()]);
    world.apply(policy({ name: `owners-${index}`, spec: { scope: `subscriptions/${index}` } }));
  }
  world.controller.start();
  await world.clock.advance(1000);
  expect(world.connectionReady()).toBe('True/Connected');
  return world;
}

const away = () => {
  throw new AlertsError('service-unreachable', 'The service could not be reached.');
};

const writesOf = ({ policies, connections }: FakeWorld) => policies.writes + connections.writes;

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

  it('waits for a token endpoint that fails in turns with two statuses, and writes no status for it', async () => {
    const world = await started(5);
    let status = 502;
    world.onRequest = () => {
      status = status === 502 ? 503 : 502;
      throw new AlertsError('token-endpoint-failed', 'The token endpoint failed.', { status });
    };
    await world.clock.advance(60 * minuteMs);
    expect(world.connections.get('team/prod')?.status?.conditions?.[0]?.message).toContain('fails with status 503');
    const settled = writesOf(world);
    await world.clock.advance(60 * minuteMs);
    expect(writesOf(world)).toBe(settled);
  });

  it('closes with the first response, and every scope is reconciled again', async () => {
    const world = await started();
    world.onRequest = away;
    await world.clock.advance(10 * minuteMs);
    world.onRequest = () => undefined;
    await world.clock.advance(6 * minuteMs);
    expect(world.connectionReady()).toBe('True/Connected');
    for (let index = 0; index < scopes; index++)
      expect(world.condition(`owners-${index}`, 'Ready')).toBe('True/Succeeded');
    expect(world.events.filter((event) => event.endsWith(' prod'))).toEqual([
      'CircuitOpen prod',
      'ConnectionRestored prod',
    ]);
  });

  it('closes with any response, one that refuses the scope included', async () => {
    const world = await started(1);
    world.onRequest = away;
    await world.clock.advance(10 * minuteMs);
    expect(world.connectionReady()).toBe('False/CircuitOpen');
    world.onRequest = () => {
      throw new AlertsError('scope-not-found', 'The service does not know the scope.');
    };
    await world.clock.advance(6 * minuteMs);
    expect([world.connectionReady(), world.condition('owners-0', 'Ready')]).toEqual([
      'True/Connected',
      'False/ScopeNotFound',
    ]);
  });

  it('lets the reconcile of an edit through, and continues with another trial when the scope on trial is gone', async () => {
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

  it('holds back those who wait for the rate limiter, too', async () => {
    const world = new FakeWorld({ intervalMs: minuteMs, rateLimits: { requestsPerHour: 3600, burst: 8 } });
    world.apply(connection());
    for (let index = 0; index < scopes; index++) {
      world.live.set(`subscriptions/${index}`, [alert()]);
      world.apply(policy({ name: `owners-${index}`, spec: { scope: `subscriptions/${index}` } }));
    }
    world.onRequest = away;
    world.controller.start();
    await world.clock.advance(10_000);
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

  it('one failing connection keeps no other one waiting', async () => {
    const world = new FakeWorld({ intervalMs: minuteMs });
    for (const name of ['prod', 'other']) {
      const object = connection();
      world.apply({ ...object, metadata: { ...object.metadata, name, uid: `uid-${name}` } });
      for (let index = 0; index < scopes; index++) {
        const scope = `subscriptions/${name}-${index}`;
        world.live.set(scope, [alert()]);
        const connectionRef = { kind: 'RoleAlertConnection' as const, name };
        world.apply(policy({ name: `${name}-${index}`, spec: { scope, connectionRef } }));
      }
    }
    world.onRequest = ({ scope }) => {
      if (scope.includes('prod')) away();
    };
    world.controller.start();
    await world.clock.advance(30_000);
    expect(world.condition('prod-3', 'Ready')).toBe('False/ServiceUnreachable');
    expect(world.condition('other-3', 'Ready')).toBe('True/Succeeded');
    await world.clock.advance(10 * minuteMs);
    const listed = world.requests.filter(({ scope }) => scope === 'subscriptions/other-3');
    expect(listed).toHaveLength(11);
  });
});

describe('PATCHes that do not reach the service', () => {
  const names = Array.from({ length: 12 }, (_, index) => `Alert${index}`);
  const alerts = names.map((name) => ({ name, state: 'Active' as const }));

  function drifted(): FakeWorld {
    const world = new FakeWorld({ intervalMs: 15 * minuteMs });
    const live = names.map((name) => alert({ name, isActive: false }));
    world.live.set('subscriptions/a', live);
    world.apply(connection());
    world.apply(policy({ spec: { alerts } }));
    return world;
  }

  it('are at most five in a row when the service went away after the list, and count for the circuit', async () => {
    const world = drifted();
    world.onRequest = () => {
      if (world.requests.length > 1) away();
    };
    world.controller.start();
    await world.clock.advance(500);
    expect(world.requests.map(({ kind }) => kind)).toEqual(['list', ...Array(5).fill('patch'), 'list']);
    expect(world.connectionReady()).toBe('False/CircuitOpen');
    world.onRequest = () => undefined;
    await world.clock.advance(3 * minuteMs);
    expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
  });

  it('keep no other alert from being corrected, and the connection works', async () => {
    const world = drifted();
    const broken = new Set(names.slice(0, 8));
    world.onRequest = ({ kind, alert: name = '' }) => {
      if (kind === 'patch' && broken.has(name)) away();
    };
    world.controller.start();
    await world.clock.advance(minuteMs);
    const live = world.live.get('subscriptions/a') ?? [];
    expect(live.filter(({ isActive }) => isActive).map(({ name }) => name)).toEqual(names.slice(8));
    expect(world.connectionReady()).toBe('True/Connected');
    expect(world.condition('owners', 'Ready')).toBe('False/ServiceUnreachable');
    expect(world.events.filter((event) => event.endsWith(' prod'))).toEqual([]);
  });
});
