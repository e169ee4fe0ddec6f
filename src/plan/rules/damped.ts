import { dampedUntilMs } from '../damping.ts';
import type { Rule } from './rule.ts';

/** Turned off as often as its policy may within the window, and somebody keeps turning it on. */
export const damped: Rule = ({ claim, alert, nowMs }) => {
  if (claim.want.state !== 'Inactive' || !alert) return undefined;
  const untilMs = dampedUntilMs(claim.input.policy, alert.name, nowMs);
  return untilMs === undefined ? undefined : { result: 'Held', reason: 'Flapping' };
};
