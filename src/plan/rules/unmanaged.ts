import type { Rule } from './rule.ts';

/** The policy neither declares the alert nor guards it with `unlisted`. */
export const unmanaged: Rule = ({ claim }) => (claim.want.state === 'None' ? { result: 'Unmanaged' } : undefined);
