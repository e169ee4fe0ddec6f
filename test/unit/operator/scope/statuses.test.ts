// The writes of a reconcile: the status of every policy that came through its connection, each correction once, and the corrections
// that no policy is left to report.
import { describe, expect, test } from 'vitest';

import { sleep } from '../../../../src/lib/clock.ts';
import type { AlertStatus } from '../../../../src/policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { errorOf, type ErrorCode } from '../../../support/builders/errors.ts';
import { alert, alertName, connection, firing, inactive, minuteMs, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';

const scope = 'subscriptions/a';
const second = 1000;
const guard = { alerts: [], unlisted: { state: 'Active', minSeverity: 'Low' } } as const;
const error = (code: ErrorCode) => errorOf(code, 'made to fail');
function worldWith(
  objects = [policy()],
  change: ConstructorParameters<typeof ControllerWorld>[0] = {},
): ControllerWorld {
  const world = new ControllerWorld(change);
  world.live.set(scope, [alert({ isActive: false })]);
  world.apply(connection());
  world.apply(...objects);
  return world;
}

const corrections = ({ events }: ControllerWorld) => events.filter((event) => event.startsWith('DriftCorrected'));

describe('the settings in force', () => {
  const settings = (world: ControllerWorld) => world.policies.get('team/owners')?.status?.effective;

  test.each([
    ['the default interval', {}, {}, { mode: 'Enforce', interval: '20m0s', scope }],
    ['the interval of the policy', { interval: '5m' }, {}, { mode: 'Enforce', interval: '5m0s', scope }],
    ['the least interval of the connection', { interval: '10s' }, {}, { mode: 'Enforce', interval: '1m0s', scope }],
    ['a read-only operator', {}, { isReadOnly: true }, { mode: 'Observe', interval: '20m0s', scope }],
    ['another spelling', { scope: 'Subscriptions/A' }, {}, { mode: 'Enforce', interval: '20m0s', scope }],
  ])('are reported: %s', async (_, spec, change, effective) => {
    const world = worldWith([policy({ spec })], { intervalMs: 20 * minuteMs, ...change });
    await world.start();
    expect(settings(world)).toEqual(effective);
  });
});

test('one status that is refused keeps no other one from being written', async () => {
  const names = Array.from({ length: 9 }, (_, index) => `p${index}`);
  const world = worldWith(names.map((name) => policy({ name })));
  let isFirst = true;
  world.onStatusWrite = (kind) => {
    if (kind !== 'policy' || !isFirst) return;
    isFirst = false;
    throw error('kube-invalid');
  };
  await world.start();
  expect(names.map((name) => world.condition(name, 'Ready'))).toEqual([
    'Unknown/Pending',
    ...Array(8).fill('True/Succeeded'),
  ]);
  expect(world.results).toEqual(['error']);
});

test('a status of an earlier operator is written once more after an upgrade, and no event reports it', async () => {
  const world = worldWith([policy({ spec: guard })], { intervalMs: minuteMs });
  world.live.set(scope, [firing(['6f1c']), alert({ name: 'Zulu' })]);
  await world.start();
  const { status, ...bare } = world.policies.get('team/owners') ?? policy();
  const [row] = status?.alerts ?? [];
  const earlier = [{ ...row, incidents: { total: 1, ids: ['6f1c'] } }] as AlertStatus[];
  const { unmanagedCount: _, ...summary } = status?.summary ?? { declared: 0, inSync: 0 };
  world.apply({ ...bare, status: { ...status, summary, alerts: earlier } } as RoleAlertPolicy);
  const before = world.policies.writes;
  await world.clock.advance(10 * minuteMs);
  expect(world.policies.get('team/owners')?.status).toEqual(status);
  expect([world.policies.writes - before, world.events]).toEqual([1, []]);
});

describe('a correction', () => {
  test('that no status has reported yet is reported once the service and the API server are back', async () => {
    const world = worldWith();
    const refuseFor = (kind: 'policy' | 'connection') => {
      if (kind === 'policy') throw error('kube-unreachable');
    };
    world.onStatusWrite = refuseFor;
    await world.start();
    expect([world.count('patch'), corrections(world)]).toEqual([1, []]);
    world.onStatusWrite = () => undefined;
    world.onRequest = () => {
      throw error('service-protocol');
    };
    await world.clock.advance(10 * second);
    expect([world.condition('owners', 'Ready'), corrections(world)]).toEqual(['False/ProtocolError', []]);
    world.onRequest = () => undefined;
    await world.clock.advance(10 * minuteMs);
    expect(corrections(world)).toEqual(['DriftCorrected owners']);
  });

  test('that no policy is left to report is an event of the connection, and of nothing else', async () => {
    const quiet = policy({ spec: { alerts: [inactive({ incidents: ['6f1c'] })] } });
    const world = worldWith([quiet]);
    world.live.set(scope, [firing(['6f1c'])]);
    await world.start(minuteMs);
    world.remove(quiet);
    await world.clock.advance(minuteMs);
    expect(world.recordedEvents.map(({ regarding }) => `${regarding.kind} ${regarding.name}`)).toEqual([
      'RoleAlertPolicy owners',
      'RoleAlertConnection prod',
    ]);
    const { apiVersion, kind, metadata } = connection();
    expect(world.recordedEvents[1]).toEqual({
      regarding: { apiVersion, kind, name: metadata.name, namespace: metadata.namespace, uid: metadata.uid },
      type: 'Normal',
      reason: 'DeclarationGone',
      action: 'Activate',
      note: expect.stringContaining(alertName),
    });
  });
});

describe('while a big plan is carried out, batch by batch,', () => {
  /** Seconds at which the policy was written, with 96 drifted alerts and 1.25 s for each PATCH: twenty for a batch. */
  async function writesOf(world: ControllerWorld): Promise<number[]> {
    const writtenAt: number[] = [];
    world.onStatusWrite = (kind) => {
      if (kind === 'policy') writtenAt.push(Math.round(world.clock.monotonic() / second));
    };
    world.duringPatch = () => sleep(world.clock, 1250);
    await world.start(5 * minuteMs);
    return writtenAt;
  }

  test('the status is written after each', async () => {
    const world = worldWith([policy({ spec: guard })]);
    world.live.set(
      scope,
      Array.from({ length: 96 }, (_, index) => alert({ name: `Alert${index}`, isActive: false })),
    );
    expect(await writesOf(world)).toEqual([20, 40, 60, 80, 100, 120]);
  });
});
