import type { Rule } from './rule.ts';

/**
 * A policy of another connection owns the alert and wants the same; the reconcile of that connection sends the
 * correction.
 */
export const waitingForOwner: Rule = ({ owner }) =>
  owner?.input.isOwn === false ? { result: 'Drifted', reason: 'WaitingForOwner' } : undefined;
