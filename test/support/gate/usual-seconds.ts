// The CPU seconds of each tier in a run of the gate on two cores, without the tiers that depend on which programs of others a machine has.
import type { UsualSeconds } from './tier-times.ts';

export const usualSeconds: UsualSeconds = {
  process: 165,
  cluster: 260,
  simulation: 394,
  contract: 108,
  unit: 104,
  property: 52,
  database: 44,
};
