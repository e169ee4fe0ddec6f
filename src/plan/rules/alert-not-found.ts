import type { Rule } from './rule.ts';

/** The service does not list the alert, which satisfies a claim for Inactive but not one for Active. */
export const alertNotFound: Rule = ({ claim, alert }) => {
  if (alert) return undefined;
  return { result: claim.want.state === 'Inactive' ? 'InSync' : 'Missing' };
};
