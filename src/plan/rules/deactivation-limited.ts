import type { Rule } from './rule.ts';

/** The connection's deactivations of this hour are used up. One that another connection makes counts there. */
export const deactivationLimited: Rule = ({ claim, deactivationsLeft }) =>
  claim.want.state === 'Inactive' && deactivationsLeft <= 0
    ? { result: 'Held', reason: 'DeactivationLimited' }
    : undefined;
