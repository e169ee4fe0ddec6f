import { mayActivateAgainAtMs } from '../activation-backoff.ts';
import type { Rule } from './rule.ts';

/** Activated a moment ago, and deactivated again by somebody: the repetition waits. */
export const correctionUndone: Rule = ({ claim, activationBackoff, intervalMs, nowMs }) =>
  claim.want.state === 'Active' &&
  activationBackoff &&
  nowMs < mayActivateAgainAtMs(activationBackoff, intervalMs, nowMs)
    ? { result: 'Held', reason: 'CorrectionUndone' }
    : undefined;
