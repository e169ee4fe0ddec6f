import { mayActivateAgainAtMs } from '../activation-backoff.ts';
import type { Rule } from './rule.ts';

/** Another client undid the last activation, and the next one waits for the back-off. */
export const correctionUndone: Rule = ({ claim, activationBackoff, intervalMs, nowMs }) =>
  claim.want.state === 'Active' &&
  activationBackoff &&
  nowMs < mayActivateAgainAtMs(activationBackoff, intervalMs, nowMs)
    ? { result: 'Held', reason: 'CorrectionUndone' }
    : undefined;
