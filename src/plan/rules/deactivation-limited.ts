import type { Rule } from './rule.ts';

/** The connection has sent as many deactivations within an hour as its limit allows. */
export const deactivationLimited: Rule = ({ claim, deactivationsLeft }) =>
  claim.want.state === 'Inactive' && deactivationsLeft <= 0
    ? { result: 'Held', reason: 'DeactivationLimited' }
    : undefined;
