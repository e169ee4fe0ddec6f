import { dampedUntilMs } from '../recent-deactivations.ts';
import type { Rule } from './rule.ts';
import { isSameWrite } from './unverified-write.ts';

/**
 * The owner's damping allows no further deactivation in this window. If the service refused the last one, the result
 * reports that instead.
 */
export const flapping: Rule = ({ claim, owner, alert, write, deactivatedMs, nowMs }) => {
  if (claim.want.state !== 'Inactive' || !alert) return undefined;
  const { policy } = (owner ?? claim).input;
  if (dampedUntilMs(policy, deactivatedMs, nowMs) === undefined) return undefined;
  if (write?.failure?.kind !== 'Refused' || !isSameWrite(write, claim)) return { result: 'Held', reason: 'Flapping' };
  return { result: 'Failed', reason: 'CorrectionFailed', serviceCode: write.failure.serviceCode };
};
