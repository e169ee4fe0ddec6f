import { writeState } from '../writes.ts';
import type { Rule } from './rule.ts';
import { isSameWrite } from './unverified-write.ts';

/** The service refused the write or could not be reached, and the retry is not due yet. */
export const correctionFailed: Rule = ({ claim, write, intervalMs, nowMs }) => {
  if (!write?.failure || !isSameWrite(write, claim) || writeState(write, intervalMs, nowMs) !== 'Failed')
    return undefined;
  const { kind, serviceCode } = write.failure;
  const reason = kind === 'Refused' ? 'CorrectionFailed' : 'ServiceUnreachable';
  return { result: 'Failed', reason, serviceCode };
};
