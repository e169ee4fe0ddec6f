// What a soak reports as a leak.
import { expect, it } from 'vitest';

import { growthOf } from './soak-growth.ts';
import type { Measure } from './soak-run.ts';

const flat: Measure = {
  timers: 3,
  exchanges: 2,
  series: 20,
  queueDepth: 0,
  ledgerEntries: 6,
  statusBytes: 1000,
  errors: 0,
  heapBytes: 40e6,
};
const days = (change: (day: number) => Partial<Measure>) =>
  Array.from({ length: 20 }, (_, day) => ({ ...flat, ...change(day) }));

it.each([
  ['one timer in twelve days', days((day) => ({ timers: day < 12 ? 3 : 4 })), ['timers']],
  ['a series every fourth day', days((day) => ({ series: 20 + Math.floor(day / 4) })), ['series']],
  ['half a megabyte of heap a day', days((day) => ({ heapBytes: 40e6 + day * 5e5 })), ['heap']],
  ['a record in every status', days((day) => ({ statusBytes: 1000 + day * 40 })), ['statuses']],
  ['nothing, with a heap that goes up and down', days((day) => ({ heapBytes: 40e6 + (day % 3) * 5e5 })), []],
])('what leaks %s is reported', (_name, measures, grown) => {
  expect(growthOf(measures).map((sentence) => sentence.split(':')[0])).toEqual(grown);
});
