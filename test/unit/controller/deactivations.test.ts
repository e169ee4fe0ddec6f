// The deactivations that were sent through a connection: a restart reads them from its status, and a wrong clock neither frees nor blocks.
import { expect, test } from 'vitest';

import { Deactivations } from '../../../src/controller/deactivations.ts';
import { recentLimit } from '../../../src/plan/recent-deactivations.ts';
import type { RecentDeactivation } from '../../../src/policy/generated/role-alert-connection.ts';
import { at, minuteMs, nowMs } from '../../support/builders/objects.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';

const hourMs = 60 * minuteMs;
const what = { namespace: 'team', scope: 's', alert: 'Owners' };
const sentAt = (offsetMs: number, change: Partial<RecentDeactivation> = {}) => ({
  at: at(offsetMs),
  ...what,
  ...change,
});

function rig(records: readonly RecentDeactivation[] = [], windowMs = 6 * hourMs) {
  const clock = new ManualClock(nowMs);
  const deactivations = new Deactivations(clock, (scope) => (scope === 's' ? windowMs : 0));
  deactivations.load(records);
  return { clock, deactivations };
}

test('those of the last hour count for the hour, also after a restart, in whatever order the status has them', async () => {
  const { clock, deactivations } = rig([sentAt(-minuteMs), sentAt(-hourMs), sentAt(1 - hourMs)]);
  expect([deactivations.left(10), deactivations.nextMs()]).toEqual([8, nowMs + 1]);
  await clock.advance(1);
  expect([deactivations.left(10), deactivations.nextMs()]).toEqual([9, nowMs - minuteMs + hourMs]);
});

test.each([minuteMs, hourMs, 24 * hourMs])(
  'one that a clock %i ms ahead wrote counts as now, so after a fail-over the hour still holds',
  async (aheadMs) => {
    const { clock, deactivations } = rig([sentAt(aheadMs)]);
    expect([deactivations.left(1), deactivations.nextMs()]).toEqual([0, nowMs + hourMs]);
    await clock.advance(hourMs);
    expect([deactivations.left(1), deactivations.nextMs()]).toEqual([1, undefined]);
  },
);

test.each([2 * hourMs, -2 * hourMs])(
  'a step of the wall clock by %i ms begins no new hour and no new window',
  (stepMs) => {
    const { clock, deactivations } = rig([sentAt(-minuteMs)]);
    clock.stepWall(stepMs);
    expect(deactivations.left(1)).toBe(0);
    expect(deactivations.of('s').get('owners')).toEqual([clock.now() - minuteMs]);
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
  const { deactivations } = rig([sentAt(-5), sentAt(-3, { alert: 'OWNERS' }), sentAt(-4, { scope: 't' })]);
  expect(deactivations.of('s')).toEqual(new Map([['owners', [nowMs - 5, nowMs - 3]]]));
});

test('one that was not sent after all counts no longer, and one that is about to be sent not against itself', () => {
  const { deactivations } = rig();
  const [first, second] = [deactivations.add(what), deactivations.add(what)];
  deactivations.remove(first);
  expect([deactivations.left(1), deactivations.left(1, second)]).toEqual([0, 1]);
  expect([deactivations.of('s').get('owners')?.length, deactivations.of('s', second).size]).toEqual([1, 0]);
  expect([deactivations.ofHour().length, deactivations.ofHour(second).length]).toEqual([1, 0]);
});

test('no more are sent than the status has room for', () => {
  const full = Array.from({ length: recentLimit }, (_, index) => sentAt(-2 * hourMs - index));
  expect(rig(full).deactivations.left(10)).toBe(0);
  expect(rig(full.slice(1)).deactivations.left(10)).toBe(1);
});
