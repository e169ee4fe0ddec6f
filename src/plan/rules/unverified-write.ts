import type { SentWrite } from '../memory.ts';
import type { Claim } from '../plan-input.ts';
import { writeState } from '../writes.ts';
import type { Rule } from './rule.ts';

/** The write was sent, and no list has shown its effect yet. */
export const unverifiedWrite: Rule = ({ claim, write, intervalMs, nowMs }) => {
  if (!write || !isSameWrite(write, claim)) return undefined;
  const state = writeState(write, intervalMs, nowMs);
  if (state === 'Verifying') return { result: 'Pending', reason: 'VerifyingWrite' };
  return state === 'NotVerified' ? { result: 'Failed', reason: 'WriteNotVerified' } : undefined;
};

/** True when the claim wants the state that the write sets. */
export function isSameWrite(write: SentWrite, claim: Claim): boolean {
  return write.isActive === (claim.want.state === 'Active');
}
