// The deactivations of the last hour: a restart reads them from the connection's status, and a wrong clock neither frees nor blocks.
import { expect, test } from 'vitest';

import { Deactivations } from '../../../src/controller/deactivations.ts';
import { at, minuteMs, nowMs } from '../../support/plan-input.ts';

const hourMs = 60 * minuteMs;

test('those of the last hour count, also after a restart, in whatever order the status has them', () => {
  const deactivations = new Deactivations();
  deactivations.adopt([at(-minuteMs), at(-hourMs), at(1 - hourMs), 'nonsense']);
  expect(deactivations.within(nowMs)).toEqual([nowMs + 1 - hourMs, nowMs - minuteMs]);
  expect(deactivations.nextMs(nowMs)).toBe(nowMs + 1);
  expect(deactivations.within(nowMs + 1)).toEqual([nowMs - minuteMs]);
});

test('one that a wrong clock wrote ahead counts until it is an hour off', () => {
  const deactivations = new Deactivations();
  deactivations.adopt([at(hourMs), at(hourMs - 1)]);
  expect(deactivations.within(nowMs)).toEqual([nowMs + hourMs - 1]);
});

test('one that was not sent after all counts no longer, and only once', () => {
  const deactivations = new Deactivations();
  for (const ms of [nowMs, nowMs, nowMs + 5]) deactivations.add(ms);
  deactivations.remove(nowMs);
  deactivations.remove(nowMs + 7);
  expect(deactivations.within(nowMs + 10)).toEqual([nowMs, nowMs + 5]);
});

test('an hour without any has no next one', () => {
  const deactivations = new Deactivations();
  expect(deactivations.nextMs(nowMs)).toBeUndefined();
  deactivations.add(nowMs);
  expect([deactivations.nextMs(nowMs), deactivations.nextMs(nowMs + hourMs)]).toEqual([nowMs + hourMs, undefined]);
});
