// When the gate fails because of the CPU time of a tier.
import { expect, it } from 'vitest';

import { type FileTime, slowerTiers } from '../../support/gate/tier-times.ts';

const usual = { unit: 100, simulation: 300, process: 50 };

const file = (tier: string, cpuSeconds: number): FileTime => ({
  tier,
  path: `test/${tier}/some.test.ts`,
  tests: 1,
  beganMs: 0,
  endedMs: 1000,
  cpuSeconds,
});

it('accepts a slower machine, and a tier whose programs are missing', () => {
  expect(slowerTiers([file('unit', 350), file('simulation', 900), file('process', 160)], usual)).toEqual([]);
  expect(slowerTiers([file('unit', 100), file('simulation', 300), file('process', 0)], usual)).toEqual([]);
});

it('names a tier that took more than twice its usual time next to the others', () => {
  const half = [file('simulation', 310), file('simulation', 300)];
  expect(slowerTiers([file('unit', 100), ...half, file('process', 50)], usual)).toEqual([
    'simulation took 610.0 s of CPU; 300.0 s are usual next to the other tiers',
  ]);
});

it('judges no excerpt', () => {
  expect(slowerTiers([file('unit', 900), file('simulation', 300)], usual)).toEqual([]);
  expect(slowerTiers([file('unit', 900)], {})).toEqual([]);
});
