// The deactivations that were sent through a connection: a restart reads them from its status, and a wrong clock neither frees nor blocks.
import { expect, test } from 'vitest';

import {
  Deactivations,
  longestEntryMs,
  recentLimit,
  type SentDeactivation,
} from '../../../../src/operator/dismissals/deactivations.ts';
import type { RecentDeactivation } from '../../../../src/policy/generated/role-alert-connection.ts';
import type { AnyConnection } from '../../../../src/policy/resources.ts';
import { at, connection, minuteMs, nowMs } from '../../../support/builders/objects.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const hourMs = 60 * minuteMs;
const what = { namespace: 'team', scope: 's', alert: 'Owners' };
/** The record of one that was sent then at the latest. */
const sentAt = (offsetMs: number, change: Partial<RecentDeactivation> = {}) => ({
  at: at(offsetMs - longestEntryMs),
  ...what,
  ...change,
});

function rig(records: readonly RecentDeactivation[] = [], windowMs = 6 * hourMs) {
  const clock = new ManualClock(nowMs);
  const deactivations = new Deactivations(clock, (scope) => (scope === 's' ? windowMs : 0));
  deactivations.load(records);
  const left = (deactivationsPerHour: number, except?: SentDeactivation) => {
    const { limits } = connection().spec;
    const limited = connection({ limits: { ...limits, deactivationsPerHour } });
    return deactivations.factsFor(limited, 's', except).deactivationsLeft;
  };
  const nextMs = () => deactivations.factsFor(connection(), 's').nextDeactivationMs;
  const of = (scope: string, except?: SentDeactivation) =>
    deactivations.factsFor(connection(), scope, except).recentDeactivations;
  return { clock, deactivations, left, nextMs, of };
}

test('those of the last hour count for the hour, also after a restart, in whatever order the status has them', async () => {
  const { clock, left, nextMs } = rig([sentAt(-minuteMs), sentAt(-hourMs), sentAt(1 - hourMs)]);
  expect([left(10), nextMs()]).toEqual([8, nowMs + 1]);
  await clock.advance(1);
  expect([left(10), nextMs()]).toEqual([9, nowMs - minuteMs + hourMs]);
});

test.each([minuteMs, hourMs, 24 * hourMs])(
  'one that a clock %i ms ahead wrote counts as now, so after a fail-over the hour still holds',
  async (aheadMs) => {
    const { clock, left, nextMs } = rig([sentAt(aheadMs + longestEntryMs)]);
    expect([left(1), nextMs()]).toEqual([0, nowMs + longestEntryMs + hourMs]);
    await clock.advance(longestEntryMs + hourMs);
    expect([left(1), nextMs()]).toEqual([1, undefined]);
  },
);

test.each([2 * hourMs, -2 * hourMs])(
  'a step of the wall clock by %i ms begins no new hour and no new window',
  (stepMs) => {
    const { clock, left, of } = rig([sentAt(-minuteMs)]);
    clock.stepWall(stepMs);
    expect(left(1)).toBe(0);
    expect(of('s').get('owners')).toEqual([clock.now() - minuteMs]);
  },
);

test('the status keeps each for the longest window at its scope, at least for an hour', async () => {
  const elsewhere = sentAt(-2 * minuteMs, { scope: 't' });
  const { clock, deactivations } = rig([sentAt(-minuteMs), elsewhere]);
  expect(deactivations.records()).toEqual([elsewhere, sentAt(-minuteMs)]);
  await clock.advance(hourMs - 2 * minuteMs);
  expect(deactivations.records()).toEqual([sentAt(-minuteMs)]);
  await clock.advance(5 * hourMs);
  expect(deactivations.records()).toEqual([sentAt(-minuteMs)]);
  await clock.advance(2 * minuteMs);
  expect(deactivations.records()).toEqual([]);
});

test('they are known by scope and alert, however the alert is spelled', () => {
  const { of } = rig([sentAt(-5), sentAt(-3, { alert: 'OWNERS' }), sentAt(-4, { scope: 't' })]);
  expect(of('s')).toEqual(new Map([['owners', [nowMs - 5, nowMs - 3]]]));
});

test('one that was not sent after all counts no longer, and one that is about to be sent not against itself', () => {
  const { deactivations, left, of } = rig();
  const [first, second] = [deactivations.add(what), deactivations.add(what)];
  deactivations.remove(first);
  expect([left(1), left(1, second)]).toEqual([0, 1]);
  expect([of('s').get('owners')?.length, of('s', second).size]).toEqual([1, 0]);
});

test('after a restart each counts as sent as late after its record as it may have been', async () => {
  const { clock, left } = rig([{ ...what, at: at(-hourMs) }]);
  await clock.advance(longestEntryMs - 1);
  expect(left(1)).toBe(0);
  await clock.advance(1);
  expect(left(1)).toBe(1);
});

test('a namespace of several leaves the others half of the hour, and half of the room in the status', () => {
  const shared = { ...connection({ limits: { ...connection().spec.limits, deactivationsPerHour: 10 } }) };
  const cluster = { ...shared, kind: 'ClusterRoleAlertConnection' } as unknown as AnyConnection;
  const leftFor = (namespace: string, ...counts: readonly [age: number, of: string, count: number][]) => {
    const records = counts.flatMap(([ageMs, of, count]) =>
      Array.from({ length: count }, (_, index) => sentAt(-ageMs - index, { namespace: of })),
    );
    const { deactivationsLeft, deactivationsByNamespace } = rig(records).deactivations.factsFor(cluster, 's');
    return deactivationsLeft - (deactivationsByNamespace?.get(namespace) ?? 0);
  };
  const early = 2 * hourMs;
  expect([leftFor('a', [minuteMs, 'a', 5]), leftFor('b', [minuteMs, 'a', 5])]).toEqual([0, 5]);
  expect([leftFor('a', [early, 'a', 250]), leftFor('b', [early, 'a', 250])]).toEqual([0, 10]);
  expect([leftFor('a', [early, 'a', 249]), leftFor('a', [early, 'b', 495])]).toEqual([2, 5]);
});

test('no more are sent than the status has room for', () => {
  const full = Array.from({ length: recentLimit }, (_, index) => sentAt(-2 * hourMs - index));
  expect(rig(full).left(10)).toBe(0);
  expect(rig(full.slice(1)).left(10)).toBe(1);
});
