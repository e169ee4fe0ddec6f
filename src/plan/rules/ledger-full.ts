import type { Rule } from './rule.ts';

/**
 * A deactivation that could not be written down would be forgotten, so it is not made. One that another connection makes
 * goes into its own ledger.
 */
export const ledgerFull: Rule = ({ claim, isInLedger, ledgerRoom }) =>
  claim.want.state === 'Inactive' && !isInLedger && ledgerRoom <= 0
    ? { result: 'Denied', reason: 'LedgerFull' }
    : undefined;
