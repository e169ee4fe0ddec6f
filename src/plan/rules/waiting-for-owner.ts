import type { Rule } from './rule.ts';

/** The owner wants the same and came through another connection: its reconcile sends the correction. */
export const waitingForOwner: Rule = ({ owner }) =>
  owner?.input.isOwn === false ? { result: 'Drifted', reason: 'WaitingForOwner' } : undefined;
