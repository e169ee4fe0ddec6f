// Detects growth from day to day: counts are compared exactly, half with half, and the heap by its slope.
import type { Measure } from './soak-run.ts';

/** Of the first days, while caches and series that last come to be. */
const settlingDays = 4;

/** Of the heap, while the engine compiles and its tables grow: 2 MB in two weeks, a tenth of that in the next two. */
const heapSettlingDays = 14;

/** A leaked policy or connection is some kilobytes; what the engine and the compiler keep is not, after the first days. */
const heapBytesPerDay = 90_000;

const counts = ['timers', 'exchanges', 'series', 'queueDepth', 'ledgerEntries', 'errors'] as const;

/** A sentence for each thing that grew; needs at least six days more than those of the heap. */
export function growthOf(measures: readonly Measure[]): string[] {
  const days = measures.slice(settlingDays);
  const middle = Math.floor(days.length / 2);
  const most = (half: readonly Measure[], of: (measure: Measure) => number) => Math.max(...half.map(of));
  const [first, second] = [days.slice(0, middle), days.slice(middle)];
  const grown = counts.flatMap((name) => {
    const [before, after] = [first, second].map((half) => most(half, (measure) => measure[name]));
    return before === after ? [] : [`${name}: up to ${before} in the first half, up to ${after} in the second`];
  });
  const slope = slopeOf(measures.slice(heapSettlingDays).map(({ heapBytes }) => heapBytes));
  const statusBytes = most(second, (measure) => measure.statusBytes) - most(first, (measure) => measure.statusBytes);
  return [
    ...grown,
    // The counts of a history get longer by a digit now and then.
    ...(statusBytes > 64 ? [`statuses: ${statusBytes} bytes longer`] : []),
    ...(slope > heapBytesPerDay ? [`heap: ${Math.round(slope)} bytes more a day`] : []),
  ];
}

/** Least squares: how much more a day. */
function slopeOf(values: readonly number[]): number {
  const meanOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
  const meanDay = (values.length - 1) / 2;
  const mean = meanOf(values);
  const products = values.map((value, day) => (day - meanDay) * (value - mean));
  const squares = values.map((_, day) => (day - meanDay) ** 2);
  return meanOf(products) / meanOf(squares);
}
