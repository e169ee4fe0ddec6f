import type { Rule } from './rule.ts';

/** The policy may not dismiss this alert, or not for so long. Reported even if the alert is inactive already. */
export const dismissalDenied: Rule = ({ claim }) =>
  claim.want.denial ? { result: 'Denied', reason: claim.want.denial } : undefined;
