import type { Rule } from './rule.ts';

/** The flag is as wanted. */
export const inSync: Rule = ({ claim, alert }) =>
  alert?.isActive === (claim.want.state === 'Active') ? { result: 'InSync' } : undefined;
