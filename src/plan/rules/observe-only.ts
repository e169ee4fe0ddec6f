import { competesForOwnership } from '../claims.ts';
import type { Rule } from './rule.ts';

/** Drift that this policy only reports: it is in Observe mode, or the operator runs read-only. */
export const observeOnly: Rule = ({ claim, isReadOnly }) =>
  isReadOnly || !competesForOwnership(claim) ? { result: 'Drifted', reason: 'ObserveOnly' } : undefined;
