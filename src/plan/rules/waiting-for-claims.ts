import { canonicalName } from '../../alerts/resource-id.ts';
import type { Rule } from './rule.ts';

/**
 * A claim for Active of a connection that has not listed the scope yet holds the deactivation. If the previous status
 * shows a conflict, as after a restart, it remains a conflict meanwhile.
 */
export const waitingForClaims: Rule = ({ claim, alert, awaited }) => {
  if (!awaited || claim.want.state !== 'Inactive') return undefined;
  const before = claim.input.policy.status?.alerts?.find(
    ({ name }) => canonicalName(name) === canonicalName(alert?.name ?? ''),
  );
  if (before?.result === 'Conflict') return { result: 'Conflict', ownerKey: awaited.input.key };
  return { result: 'Held', reason: 'WaitingForClaims' };
};
