// Correction windows over time: a deactivation is sent once they open, and not any more once they close.
import { expect, test } from 'vitest';

import { sleep } from '../../../../src/lib/clock.ts';
import type { CorrectionWindow } from '../../../../src/policy/generated/role-alert-policy.ts';
import type { RoleAlertConnection, RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { connection, firing, inactive, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

// The clock starts at midnight.
const oneToTwo: CorrectionWindow = { kind: 'Allow', schedule: '0 1 * * *', duration: '1h', timeZone: 'UTC' };
const untilTwo: CorrectionWindow = { kind: 'Deny', schedule: '0 0 * * *', duration: '2h', timeZone: 'UTC' };
const windowed = (correctionWindows: readonly CorrectionWindow[]) => ({ correctionWindows });

interface Declared {
  readonly policy?: Partial<RoleAlertPolicy['spec']>;
  readonly connection?: Partial<RoleAlertConnection['spec']>;
  readonly untilMs?: number;
}

/** A policy that is reconciled every 12 hours and dismisses the alert. */
function worldOf(declared: Declared, startMs = 0): FakeWorld {
  const world = new FakeWorld({ intervalMs: 12 * hourMs });
  world.clock.jump(startMs);
  world.live.set(scope, [firing(['a'])]);
  world.apply(connection(declared.connection));
  const until = new Date(world.clock.now() + (declared.untilMs ?? 20 * 24 * hourMs)).toISOString();
  world.apply(policy({ spec: { alerts: [inactive({ until })], ...declared.policy } }));
  return world;
}

/** When each PATCH was sent, in minutes since the start. */
const sent = (world: FakeWorld, isActive: boolean) =>
  world.requests.filter((request) => request.isActive === isActive).map(({ atMs }) => Math.floor(atMs) / minuteMs);
const isLive = (world: FakeWorld) => world.live.get(scope)?.[0]?.isActive;

test('a deactivation is sent when its window opens, long before the interval', async () => {
  const world = worldOf({ policy: windowed([oneToTwo]) });
  world.controller.start();
  await world.clock.advance(hourMs - 1);
  expect(sent(world, false)).toEqual([]);
  expect(world.events).toEqual(['WaitingForWindow owners']);
  await world.clock.advance(minuteMs);
  expect(sent(world, false)).toEqual([60]);
  expect(world.count('list')).toBe(3);
});

test('the windows of the connection count as well', async () => {
  const world = worldOf({ policy: windowed([oneToTwo]), connection: windowed([{ ...untilTwo, duration: '90m' }]) });
  world.controller.start();
  await world.clock.advance(3 * hourMs);
  expect(sent(world, false)).toEqual([90]);
});

test('a window that is removed holds no longer, and a new one holds at once', async () => {
  const world = worldOf({ connection: windowed([untilTwo]) });
  world.controller.start();
  await world.clock.advance(10 * minuteMs);
  expect(sent(world, false)).toEqual([]);
  const open = connection();
  world.apply({ ...open, metadata: { ...open.metadata, generation: 2 } });
  await world.clock.advance(minuteMs);
  expect(sent(world, false)).toEqual([10]);
  const closed = connection(windowed([untilTwo]));
  world.apply({ ...closed, metadata: { ...closed.metadata, generation: 3 } });
  world.turn(scope, firing([]).name, true);
  await world.clock.advance(minuteMs);
  expect(sent(world, false)).toEqual([10]);
});

test('a window that closes while the deactivation waits for its send holds it, and the ledger forgets it', async () => {
  const world = worldOf({ policy: windowed([oneToTwo]) }, 2 * hourMs - 2000);
  const startMs = world.clock.now();
  world.beforePatch = () => sleep(world.clock, 3000);
  world.controller.start();
  await world.clock.advance(10 * minuteMs);
  expect(new Date(startMs).toISOString()).toBe('2026-01-01T01:59:58.000Z');
  expect(sent(world, false)).toEqual([]);
  expect(world.connections.get('team/prod')?.status?.dismissals ?? []).toEqual([]);
  const { conditions } = world.policies.get('team/owners')?.status ?? {};
  expect(conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
    status: 'True',
    reason: 'WaitingForWindow',
    message: expect.stringContaining('until 2026-01-02T01:00:00Z'),
  });
});

test('a window that closes activates nothing, and does not hold the end of a dismissal', async () => {
  const world = worldOf({ policy: windowed([{ ...oneToTwo, schedule: '0 0 * * *' }]), untilMs: 6 * hourMs });
  world.controller.start();
  await world.clock.advance(6 * hourMs - 1);
  expect([sent(world, false), sent(world, true), isLive(world)]).toEqual([[0], [], false]);
  await world.clock.advance(minuteMs);
  expect([sent(world, true), isLive(world)]).toEqual([[360], true]);
});
