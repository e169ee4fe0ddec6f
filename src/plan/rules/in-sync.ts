import type { Rule } from './rule.ts';

/** The live flag matches the desired state. */
export const inSync: Rule = ({ claim, alert }) =>
  alert?.isActive === (claim.want.state === 'Active') ? { result: 'InSync' } : undefined;
