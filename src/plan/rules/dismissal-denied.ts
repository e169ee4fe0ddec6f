import type { Rule } from './rule.ts';

/** The policy may not dismiss this alert, or not for so long. Said even while the flag happens to be as declared. */
export const dismissalDenied: Rule = ({ claim }) =>
  claim.want.denial ? { result: 'Denied', reason: claim.want.denial } : undefined;
