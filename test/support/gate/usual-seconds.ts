// The CPU seconds of each tier in a run of the gate on two cores.
import type { UsualSeconds } from './tier-times.ts';

export const usualSeconds: UsualSeconds = {};
