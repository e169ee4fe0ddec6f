// The CPU seconds of each tier in a run of the gate on two cores, without the tiers that depend on which programs of others a machine has.
import type { UsualSeconds } from './tier-times.ts';

export const usualSeconds: UsualSeconds = {
  simulation: 244,
  cluster: 200,
  process: 145,
  contract: 89,
  unit: 78,
  property: 67,
  database: 20,
};
