// The deletion of a connection with dismissals in force, and of its namespace: its finalizer waits until the alerts are active again.
import { describe, expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { dismissalsFinalizer } from '../../../../src/policy/deletion.ts';
import type { NamespaceMetadata, RoleAlertConnection } from '../../../../src/policy/resources.ts';
import { errorOf } from '../../../support/builders/errors.ts';
import {
  active,
  alertName,
  connection,
  firing,
  inactive,
  minuteMs,
  policy,
} from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';

const scope = 'subscriptions/a';
const other = 'subscriptions/b';
const dismissing = policy({ spec: { alerts: [inactive({ incidents: ['a'] })] } });
const guarding = policy({ name: 'guards', spec: { scope: other, alerts: [active] } });
const team: NamespaceMetadata = { metadata: { name: 'team', uid: 'uid-team', resourceVersion: '1' } };
const leavingTeam: NamespaceMetadata = {
  metadata: { ...team.metadata, resourceVersion: '2', deletionTimestamp: '2026-01-01T00:00:00Z' },
};

function worldWith(live: ControllerWorld['live'] = new Map(), isReadOnly = false): ControllerWorld {
  const world = new ControllerWorld({ intervalMs: minuteMs, isReadOnly });
  world.live.set(scope, live.get(scope) ?? [firing(['a'])]);
  world.live.set(other, live.get(other) ?? [firing(['a'])]);
  world.applyNamespace(team);
  return world;
}

async function dismissed(): Promise<ControllerWorld> {
  const world = worldWith();
  world.apply(connection(), dismissing, guarding);
  await world.start(5 * minuteMs);
  expect(isActive(world)).toBe(false);
  return world;
}

const isActive = (world: ControllerWorld, at = scope) => world.live.get(at)?.[0]?.isActive;
const prod = (world: ControllerWorld): RoleAlertConnection | undefined => world.connections.get('team/prod');
const finalizersOf = (world: ControllerWorld) => prod(world)?.metadata.finalizers;
const entriesOf = (world: ControllerWorld) => prod(world)?.status?.dismissals ?? [];
const readyOf = (world: ControllerWorld) => prod(world)?.status?.conditions?.find(({ type }) => type === 'Ready');

/** Removes the finalizer by hand. */
function release({ api }: ControllerWorld): void {
  api.writes.mergePatch(api.resource('rolealertconnections'), 'team', 'prod', { metadata: { finalizers: [] } });
}

/** The next operator on what the API server and the service have. */
async function restarted(before: ControllerWorld): Promise<ControllerWorld> {
  await before.controller.stop(0);
  const world = worldWith(before.live);
  world.apply(...before.connections.list(), ...before.policies.list());
  world.controller.start();
  return world;
}

const away = () => {
  throw errorOf('service-unreachable', 'away');
};

describe('the finalizer', () => {
  test('is not there while nothing is dismissed, and leaves those of others', async () => {
    const world = worldWith();
    const held = connection();
    world.apply({ ...held, metadata: { ...held.metadata, finalizers: ['example.dev/hold'] } }, guarding);
    await world.start(5 * minuteMs);
    expect(finalizersOf(world)).toEqual(['example.dev/hold']);
    world.apply(dismissing);
    await world.clock.advance(5 * minuteMs);
    expect(finalizersOf(world)).toEqual(['example.dev/hold', dismissalsFinalizer]);
  });

  test('that is removed while dismissals are in force comes back, also at a start', async () => {
    const world = await dismissed();
    release(world);
    await world.clock.advance(5000);
    expect(finalizersOf(world)).toEqual([dismissalsFinalizer]);
    await world.controller.stop(0);
    release(world);
    const next = await restarted(world);
    await next.clock.advance(5000);
    expect(finalizersOf(next)).toEqual([dismissalsFinalizer]);
  });

  test('that cannot be written keeps the alert active', async () => {
    const world = worldWith();
    world.onStatusWrite = (kind) => {
      if (kind === 'connection') throw errorOf('kube-denied', 'no patch');
    };
    world.apply(connection(), dismissing);
    await world.start(60 * minuteMs);
    expect([isActive(world), world.count('patch')]).toEqual([true, 0]);
  });
});

describe('a connection that is deleted', () => {
  test('goes once the service has shown its alerts active again, and nothing else is requested through it', async () => {
    const world = await dismissed();
    world.turn(other, alertName, false);
    const sinceMs = world.clock.monotonic();
    world.onRequest = ({ kind }) => (kind === 'patch' ? away() : undefined);
    world.remove(connection());
    await world.clock.advance(1000);
    world.onRequest = () => undefined;
    expect(readyOf(world)).toMatchObject({ status: 'False', reason: 'Deleting' });
    expect(readyOf(world)?.message).toContain('one alert is active again');
    expect(world.condition('owners', 'Stalled')).toBe('True/ConnectionDeleting');
    expect(world.condition('guards', 'Stalled')).toBe('True/ConnectionDeleting');
    await world.clock.advance(5 * minuteMs);
    expect([isActive(world), isActive(world, other), prod(world)]).toEqual([true, false, undefined]);
    expect(new Set(world.requests.filter(({ atMs }) => atMs >= sinceMs).map((sent) => sent.scope))).toEqual(
      new Set([scope]),
    );
    expect(world.condition('owners', 'Stalled')).toBe('True/ConnectionNotFound');
  });

  test.each([
    ['service-denied', 'Unauthorized'],
    ['scope-forbidden', 'ScopeForbidden'],
    ['scope-not-found', 'ScopeNotFound'],
    ['service-protocol', 'ProtocolError'],
  ] as const)('whose LIST is refused with %s says why while it waits', async (code, cause) => {
    const world = await dismissed();
    world.onRequest = ({ kind }) => {
      if (kind === 'list') throw errorOf(code, 'refused');
    };
    world.remove(connection());
    await world.clock.advance(5 * minuteMs);
    expect(readyOf(world)?.message).toContain(`one alert is active again (${cause}).`);
    world.onRequest = () => undefined;
    await world.clock.advance(60 * minuteMs);
    expect([isActive(world), prod(world)]).toEqual([true, undefined]);
  });
});

describe('a namespace that is deleted', () => {
  test('waits 45 s for a service that is away, tries it every 5 s, and names what is left', async () => {
    const world = await dismissed();
    world.onRequest = away;
    const sinceMs = world.clock.monotonic();
    world.applyNamespace(leavingTeam);
    world.remove(connection());
    await world.clock.advance(44_000);
    expect(finalizersOf(world)).toEqual([dismissalsFinalizer]);
    expect(world.count('list', sinceMs)).toBeGreaterThanOrEqual(8);
    await world.clock.advance(2000);
    expect(prod(world)).toBeUndefined();
    expect(world.recordedEvents.at(-1)).toMatchObject({
      reason: 'DismissalsAbandoned',
      regarding: { apiVersion: 'v1', kind: 'Namespace', name: 'team', uid: 'uid-team' },
    });
    expect(world.errors).toEqual(['dismissals abandoned, their namespace is being deleted']);
    expect(world.errorFacts.at(-1)).toMatchObject({ alerts: [{ scope, alert: alertName }] });
  });

  test('tries a service that throttles after each pause, also beside scopes that need no activation', async () => {
    const world = await dismissed();
    const sinceMs = world.clock.monotonic();
    world.onRequest = ({ atMs }) => {
      if (atMs - sinceMs < 39_000)
        throw new AlertsError('service-busy', 'as the test wants it', { retryAfterMs: 5000 });
    };
    world.applyNamespace(leavingTeam);
    world.remove(connection());
    await world.clock.advance(60_000);
    expect([isActive(world), world.errors]).toEqual([true, []]);
  });

  test('waits longer while alerts become active one after the other', async () => {
    const world = worldWith();
    const all = ['a', 'b', 'c', 'd'].map((name) => `subscriptions/${name}`);
    world.apply(connection());
    for (const each of all) {
      world.live.set(each, [firing(['a'])]);
      world.apply(
        policy({ name: `at-${each.at(-1)}`, spec: { scope: each, alerts: [inactive({ incidents: ['a'] })] } }),
      );
    }
    await world.start(5 * minuteMs);
    let reachable = 0;
    world.onRequest = (sent) => (all.indexOf(sent.scope) < reachable ? undefined : away());
    world.applyNamespace(leavingTeam);
    for (const _ of all) {
      reachable++;
      await world.clock.advance(40_000);
    }
    expect(all.map((each) => isActive(world, each))).toEqual([true, true, true, true]);
    expect([entriesOf(world), finalizersOf(world), world.errors]).toEqual([[], [], []]);
  });

  test('gets no status of a policy and no event any more', async () => {
    const world = await dismissed();
    const [events, before] = [world.events.length, world.policies.writes];
    world.applyNamespace(leavingTeam);
    world.remove(connection());
    await world.clock.advance(10 * minuteMs);
    expect(prod(world)).toBeUndefined();
    expect(world.policies.writes - before).toBe(0);
    expect(world.events.slice(events)).toEqual([]);
  });

  test('is not delayed for longer by an operator that may only read', async () => {
    const world = await dismissed();
    await world.controller.stop(0);
    const next = worldWith(world.live, true);
    next.apply(...world.connections.list(), ...world.policies.list());
    next.controller.start();
    next.applyNamespace(leavingTeam);
    next.remove(connection());
    await next.clock.advance(60_000);
    expect([isActive(next), prod(next)]).toEqual([false, undefined]);
  });
});
