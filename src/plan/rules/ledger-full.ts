import type { Rule } from './rule.ts';

/** The ledger has no room for another dismissal, and the operator sends no deactivation that it cannot record. */
export const ledgerFull: Rule = ({ claim, isInLedger, ledgerRoom }) =>
  claim.want.state === 'Inactive' && !isInLedger && ledgerRoom <= 0
    ? { result: 'Denied', reason: 'LedgerFull' }
    : undefined;
