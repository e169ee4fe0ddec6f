import type { Rule } from './rule.ts';

/** Not in the list: nothing to silence is as good as silenced, but nothing that could fire is not active. */
export const alertNotFound: Rule = ({ claim, alert }) => {
  if (alert) return undefined;
  return { result: claim.want.state === 'Inactive' ? 'InSync' : 'Missing' };
};
