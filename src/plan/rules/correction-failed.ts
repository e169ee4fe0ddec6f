import type { ResultReason } from '../decisions.ts';
import type { WriteFailure } from '../memory.ts';
import { writeState } from '../writes.ts';
import type { Rule } from './rule.ts';
import { isSameWrite } from './unverified-write.ts';

const reasons: Readonly<Record<WriteFailure['kind'], ResultReason>> = {
  Refused: 'CorrectionFailed',
  Unreachable: 'ServiceUnreachable',
};

/** The write failed, and the retry is not due yet. */
export const correctionFailed: Rule = ({ claim, write, intervalMs, nowMs }) => {
  if (!write?.failure || !isSameWrite(write, claim) || writeState(write, intervalMs, nowMs) !== 'Failed')
    return undefined;
  const { kind, serviceCode } = write.failure;
  return { result: 'Failed', reason: reasons[kind], serviceCode };
};
