// The deactivations of the last hour: a restart reads them from the connection's status, and a wrong clock neither frees nor blocks.
import { expect, test } from 'vitest';

import { Deactivations } from '../../../src/controller/deactivations.ts';
import { at, minuteMs, nowMs } from '../../support/builders/objects.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';

const hourMs = 60 * minuteMs;

function rig(times: readonly string[] = []): { clock: ManualClock; deactivations: Deactivations } {
  const clock = new ManualClock(nowMs);
  const deactivations = new Deactivations(clock);
  deactivations.load(times);
  return { clock, deactivations };
}

test('those of the last hour count, also after a restart, in whatever order the status has them', async () => {
  const { clock, deactivations } = rig([at(-minuteMs), at(-hourMs), at(1 - hourMs), 'nonsense']);
  expect(deactivations.within()).toEqual([nowMs + 1 - hourMs, nowMs - minuteMs]);
  expect(deactivations.nextMs()).toBe(nowMs + 1);
  await clock.advance(1);
  expect(deactivations.within()).toEqual([nowMs - minuteMs]);
});

test('one that a wrong clock wrote ahead counts unless it is an hour off', () => {
  const { deactivations } = rig([at(hourMs), at(hourMs - 1)]);
  expect(deactivations.within()).toEqual([nowMs + hourMs - 1]);
});

test('one that was not sent after all counts no longer, and only once', async () => {
  const { clock, deactivations } = rig();
  const added = [deactivations.add(), deactivations.add()];
  await clock.advance(5);
  deactivations.add();
  deactivations.remove(nowMs);
  deactivations.remove(nowMs + 7);
  expect([added, deactivations.within()]).toEqual([
    [nowMs, nowMs],
    [nowMs, nowMs + 5],
  ]);
});

test('an hour without any has no next one', async () => {
  const { clock, deactivations } = rig();
  expect(deactivations.nextMs()).toBeUndefined();
  deactivations.add();
  expect(deactivations.nextMs()).toBe(nowMs + hourMs);
  await clock.advance(hourMs);
  expect(deactivations.nextMs()).toBeUndefined();
});

test('the first one to leave the hour counts for the next, whatever a wrong clock wrote', async () => {
  const { clock, deactivations } = rig([at(hourMs / 2)]);
  await clock.advance(minuteMs);
  deactivations.add();
  expect(deactivations.nextMs()).toBe(nowMs + minuteMs + hourMs);
});

test.each([2 * hourMs, -2 * hourMs])('a step of the wall clock by %i ms, and back, begins no new hour', (stepMs) => {
  const { clock, deactivations } = rig([at(-minuteMs)]);
  deactivations.add();
  clock.stepWall(stepMs);
  expect(deactivations.within()).toHaveLength(2);
  expect(deactivations.nextMs()).toBe(nowMs + stepMs + hourMs - minuteMs);
  clock.stepWall(-stepMs);
  expect(deactivations.within()).toHaveLength(2);
});
