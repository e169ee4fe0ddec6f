import { dampedUntilMs } from '../damping.ts';
import type { Rule } from './rule.ts';
import { isSameWrite } from './unverified-write.ts';

/** Deactivations of it were sent as often as its owner allows within the window. Where the service refuses them, that is the news. */
export const flapping: Rule = ({ claim, owner, alert, write, damping, nowMs }) => {
  if (claim.want.state !== 'Inactive' || !alert) return undefined;
  const { policy } = (owner ?? claim).input;
  if (dampedUntilMs(policy, alert.name, damping, nowMs) === undefined) return undefined;
  if (write?.failure?.kind !== 'Refused' || !isSameWrite(write, claim)) return { result: 'Held', reason: 'Flapping' };
  return { result: 'Failed', reason: 'CorrectionFailed', serviceCode: write.failure.serviceCode };
};
