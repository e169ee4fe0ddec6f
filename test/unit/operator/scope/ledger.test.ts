// The ledger in time: what an entry outlasts, what ends it, and what becomes of it with its service.
import { describe, expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import type { ClusterPort } from '../../../../src/operator/ports.ts';
import type { DismissalRecord } from '../../../../src/policy/generated/role-alert-connection.ts';
import { errorOf } from '../../../support/builders/errors.ts';
import { alertName, connection, firing, inactive, policy, prodFields } from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';

const scope = 'subscriptions/a';
const secondMs = 1000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const since = '2025-12-31T00:00:00Z';
const quiet = policy({ spec: { alerts: [inactive({ incidents: ['a'] })] } });

const entriesOf = (world: ControllerWorld) => world.connections.get('team/prod')?.status?.dismissals ?? [];
const directions = (world: ControllerWorld) =>
  world.requests.filter(({ kind }) => kind === 'patch').map((sent) => sent.isActive);

function begun(...entries: DismissalRecord[]) {
  return { ...connection(), status: { observedGeneration: 1, dismissals: entries } };
}

async function dismissed(): Promise<ControllerWorld> {
  const world = new ControllerWorld();
  world.live.set(scope, [firing(['a'])]);
  world.apply(connection(), quiet);
  await world.start(secondMs);
  expect([directions(world), entriesOf(world).length]).toEqual([[false], 1]);
  return world;
}

/** Deactivations are never confirmed: the API server says that no policy is there, and the watch does not. */
const unconfirmed = (cluster: ClusterPort): ClusterPort => ({ ...cluster, readPolicy: async () => undefined });

test('an alert that was deactivated by hand while no PATCH could be sent is not reported as deactivated by the operator', async () => {
  const world = new ControllerWorld();
  world.live.set(scope, [firing(['a'])]);
  world.apply(connection(), quiet);
  world.beforePatch = async () => {
    throw new AlertsError('service-unreachable', 'refused to connect');
  };
  await world.start(100);
  world.turn(scope, alertName, false);
  await world.clock.advance(hourMs);
  expect([entriesOf(world), world.events.filter((event) => event.startsWith('AlertDeactivated'))]).toEqual([[], []]);
});

describe('although nothing of the plan can be sent,', () => {
  test('an entry ends with the list that proves it', async () => {
    const world = new ControllerWorld({ fence: unconfirmed });
    world.live.set(scope, [firing(['a']), firing(['b'], { name: 'Other' })]);
    world.apply(begun({ scope, alert: 'Other', policy: 'team/gone', since }), quiet);
    await world.start(600 * secondMs);
    expect(entriesOf(world)).toEqual([]);
    // A person's decision, about an alert that no policy declares.
    world.turn(scope, 'Other', false);
    await world.clock.advance(hourMs);
    expect([world.count('patch'), world.live.get(scope)?.[1]?.isActive]).toEqual([0, false]);
  });
});

describe('an entry whose alert cannot be listed', () => {
  const dropped = (world: ControllerWorld) => world.events.filter((event) => event.startsWith('DismissalDropped'));

  function start(onRequest: ControllerWorld['onRequest']): ControllerWorld {
    const world = new ControllerWorld();
    world.live.set(scope, []);
    world.onRequest = onRequest;
    world.apply(begun({ scope, alert: alertName, policy: 'team/gone', since }));
    world.controller.start();
    return world;
  }

  test.each<[string, ControllerWorld['onRequest']]>([
    ['the alert', () => undefined],
    [
      'the scope (404)',
      () => {
        throw new AlertsError('scope-not-found', '404');
      },
    ],
  ])(
    'says at the first attempt since when %s is gone, and ends a day later, with two writes in all',
    async (_, gone) => {
      const world = start(gone);
      await world.clock.advance(0);
      expect(entriesOf(world)).toMatchObject([{ since, missingSince: '2026-01-01T00:00:00Z' }]);
      await world.clock.advance(hourMs);
      const { writes } = world.connections;
      await world.clock.advance(dayMs - hourMs - 1);
      expect([entriesOf(world).length, world.connections.writes]).toEqual([1, writes]);
      await world.clock.advance(2 * hourMs);
      expect([entriesOf(world), dropped(world)]).toEqual([[], ['DismissalDropped prod']]);
      const lists = world.count('list');
      await world.clock.advance(30 * dayMs);
      expect([world.count('list'), dropped(world).length, world.connections.writes]).toEqual([lists, 1, writes + 1]);
    },
  );

  test.each(['service-unreachable', 'scope-forbidden', 'service-rejected', 'service-denied'] as const)(
    'does not end because of %s, however long',
    async (code) => {
      const world = start(() => {
        throw errorOf(code, 'not today');
      });
      await world.clock.advance(4 * dayMs);
      expect(entriesOf(world)).toHaveLength(1);
    },
  );
});

describe('a connection whose endpoint changes while its ledger has entries, as an older CRD lets it,', () => {
  /** There is one service at a time: what is sent from now on goes to this one. */
  function move(world: ControllerWorld, endpoint: object): void {
    const { metadata, spec, ...rest } = world.connections.get('team/prod') ?? connection();
    const moved = { ...spec, endpoint: { ...spec.endpoint, ...endpoint } };
    world.apply({ ...rest, metadata: { ...metadata, generation: metadata.generation + 1 }, spec: moved });
  }
  const elsewhere = { baseURL: 'https://elsewhere.example.net' };

  test('has each alert in the log that stays inactive at the service that it leaves', async () => {
    const world = await dismissed();
    move(world, elsewhere);
    await world.clock.advance(secondMs);
    expect(world.errors).toEqual(['dismissals dropped, their connection moved to another service']);
    expect(world.errorFacts).toEqual([{ ...prodFields, alerts: [{ scope, alert: alertName }] }]);
  });
});
