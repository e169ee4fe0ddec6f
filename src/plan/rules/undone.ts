import { mayRepeatAtMs } from '../repeats.ts';
import type { Rule } from './rule.ts';

/** Turned on a moment ago, and turned off again by somebody: the repetition waits. */
export const undone: Rule = ({ claim, repeat, intervalMs, nowMs }) =>
  claim.want.state === 'Active' && repeat && nowMs < mayRepeatAtMs(repeat, intervalMs, nowMs)
    ? { result: 'Held', reason: 'CorrectionUndone' }
    : undefined;
