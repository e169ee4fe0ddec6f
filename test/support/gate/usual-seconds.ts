// The CPU seconds of each tier in a run of the gate on two cores, without the tiers that depend on which programs of others a machine has.
import type { UsualSeconds } from './tier-times.ts';

export const usualSeconds: UsualSeconds = {
  simulation: 202,
  cluster: 177,
  process: 126,
  contract: 61,
  unit: 43,
  property: 36,
  database: 20,
};
