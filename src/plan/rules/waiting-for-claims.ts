import { canonicalName } from '../../alerts/resource-id.ts';
import type { Rule } from './rule.ts';

/**
 * A policy of a connection that has not listed the scope yet wants the alert active: nothing is deactivated before that connection is
 * heard. What was a conflict with it before, as after a start, stays one meanwhile.
 */
export const waitingForClaims: Rule = ({ claim, alert, awaited }) => {
  if (!awaited || claim.want.state !== 'Inactive') return undefined;
  const before = claim.input.policy.status?.alerts?.find(
    ({ name }) => canonicalName(name) === canonicalName(alert?.name ?? ''),
  );
  if (before?.result === 'Conflict') return { result: 'Conflict', ownerKey: awaited.input.key };
  return { result: 'Held', reason: 'WaitingForClaims' };
};
