import type { Rule } from './rule.ts';

/** Not declared, and not guarded by `unlisted`: not ours. */
export const unmanaged: Rule = ({ claim }) => (claim.want.state === 'None' ? { result: 'Unmanaged' } : undefined);
