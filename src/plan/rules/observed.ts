import { hasSay } from '../claims.ts';
import type { Rule } from './rule.ts';

/** Drift that this policy only reports: it is in Observe mode, or the operator runs read-only. */
export const observed: Rule = ({ claim, isReadOnly }) =>
  isReadOnly || !hasSay(claim) ? { result: 'Drifted', reason: 'ObserveOnly' } : undefined;
