import { writeState } from '../writes.ts';
import type { Rule } from './rule.ts';
import { isSameWrite } from './unverified-write.ts';

/** The service refused the write or could not be reached for it, and it is not yet time to try again. */
export const correctionFailed: Rule = ({ claim, write, intervalMs, nowMs }) => {
  if (!write?.failure || !isSameWrite(write, claim) || writeState(write, intervalMs, nowMs) !== 'Failed')
    return undefined;
  const { kind, serviceCode } = write.failure;
  const reason = kind === 'Refused' ? 'CorrectionFailed' : 'ServiceUnreachable';
  return { result: 'Failed', reason, serviceCode };
};
