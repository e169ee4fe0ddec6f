// Entries of the ledger whose scope or alert is gone: they end after a day and three attempts, and not before.
import { describe, expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { errorOf } from '../../../support/builders/errors.ts';
import { alertName, connection, firing, inactive, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const scope = 'subscriptions/gone';
const since = '2025-12-31T00:00:00Z';
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const dismissals = (world: FakeWorld) => world.connections.get('team/prod')?.status?.dismissals ?? [];
const dropped = (world: FakeWorld) => world.events.filter((event) => event.startsWith('DismissalDropped'));

type Gone = 'the scope (404)' | 'the alert';
const kinds: readonly Gone[] = ['the scope (404)', 'the alert'];

function start(kind: Gone, entry: { missingSince?: string } = {}): FakeWorld {
  const world = new FakeWorld();
  goes(world, kind);
  const recorded = [{ scope, alert: alertName, policy: 'team/gone', since, ...entry }];
  world.apply({ ...connection(), status: { observedGeneration: 1, dismissals: recorded } });
  world.controller.start();
  return world;
}

function goes(world: FakeWorld, kind: Gone): void {
  world.live.set(scope, []);
  if (kind === 'the alert') return;
  world.onRequest = () => {
    throw new AlertsError('scope-not-found', '404');
  };
}

function comesBack(world: FakeWorld, isActive: boolean): void {
  world.onRequest = () => undefined;
  world.live.set(scope, [firing(['a'], { isActive })]);
}

describe.each(kinds)('an entry, when %s is gone,', (kind) => {
  test('says since when at the first attempt, and ends a day later', async () => {
    const world = start(kind);
    await world.clock.advance(0);
    expect(dismissals(world)).toEqual([
      { scope, alert: alertName, policy: 'team/gone', since, missingSince: '2026-01-01T00:00:00Z' },
    ]);
    await world.clock.advance(dayMs - 1);
    expect(dismissals(world)).toHaveLength(1);
    await world.clock.advance(2 * hourMs);
    expect([dismissals(world), dropped(world)]).toEqual([[], ['DismissalDropped prod']]);
    const lists = world.count('list');
    await world.clock.advance(30 * dayMs);
    expect([world.count('list'), dropped(world).length]).toEqual([lists, 1]);
  });

  test('causes one write of the status when it is missed, and one when it ends', async () => {
    const world = start(kind);
    await world.clock.advance(hourMs);
    const writes = world.connections.writes;
    await world.clock.advance(dayMs - 2 * hourMs);
    expect(world.connections.writes).toBe(writes);
    await world.clock.advance(3 * hourMs);
    expect(world.connections.writes).toBe(writes + 1);
  });

  test('does not begin a new day with a restart, but needs three attempts again', async () => {
    const world = start(kind, { missingSince: '2025-12-31T00:00:00Z' });
    await world.clock.advance(hourMs - 1);
    expect(dismissals(world)).toHaveLength(1);
    await world.clock.advance(2 * hourMs + 1);
    expect(dismissals(world)).toEqual([]);
  });

  test('is acted on when the alert comes back, and has its day anew when it goes again', async () => {
    const world = start(kind);
    await world.clock.advance(20 * hourMs);
    comesBack(world, false);
    await world.clock.advance(2 * hourMs);
    expect([world.live.get(scope)?.[0]?.isActive, dismissals(world)]).toEqual([true, []]);
  });

  test('has its day anew after the alert came back under a dismissal', async () => {
    const world = start(kind);
    world.apply(policy({ spec: { scope, alerts: [inactive({ incidents: ['a'] })] } }));
    await world.clock.advance(20 * hourMs);
    comesBack(world, false);
    await world.clock.advance(2 * hourMs);
    expect(dismissals(world)).toMatchObject([{ policy: 'team/owners' }]);
    expect(dismissals(world)[0]).not.toHaveProperty('missingSince');
    goes(world, kind);
    await world.clock.advance(20 * hourMs);
    expect(dismissals(world)).toHaveLength(1);
    await world.clock.advance(8 * hourMs);
    expect(dismissals(world)).toEqual([]);
  });
});

test.each(['service-unreachable', 'scope-forbidden', 'service-rejected', 'service-denied'] as const)(
  'an entry does not end because of %s, however long',
  async (code) => {
    const world = start('the alert');
    world.onRequest = () => {
      throw errorOf(code, 'not today');
    };
    await world.clock.advance(30 * dayMs);
    expect(dismissals(world)).toHaveLength(1);
  },
);

test('one miss before a long outage and some in a row after it are not three attempts', async () => {
  const world = start('the alert');
  await world.clock.advance(0);
  world.onRequest = () => {
    throw new AlertsError('service-unreachable', 'away');
  };
  await world.clock.advance(3 * dayMs);
  world.onRequest = () => undefined;
  for (let request = 1; request <= 5; request++) {
    world.apply(policy({ name: 'other', spec: { scope }, metadata: { generation: request } }));
    await world.clock.advance(1000);
  }
  expect(dismissals(world)).toHaveLength(1);
});

test('an entry makes room in a full ledger once its alert is gone', async () => {
  const world = new FakeWorld();
  const recorded = Array.from({ length: 500 }, (_, index) => {
    return { scope, alert: `Alert${index}`, policy: 'team/gone', since };
  });
  const other = 'subscriptions/a';
  world.live.set(scope, []).set(other, [firing(['a'])]);
  world.apply({ ...connection(), status: { observedGeneration: 1, dismissals: recorded } });
  world.apply(policy({ spec: { alerts: [inactive({ incidents: ['a'] })] } }));
  world.controller.start();
  await world.clock.advance(hourMs);
  expect(world.live.get(other)?.[0]?.isActive).toBe(true);
  await world.clock.advance(26 * hourMs);
  expect(world.live.get(other)?.[0]?.isActive).toBe(false);
  expect(dismissals(world)).toMatchObject([{ scope: other }]);
});
