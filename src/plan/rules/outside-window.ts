import type { Rule } from './rule.ts';

/** The correction windows of the owner or of its connection are closed. They hold deactivations only. */
export const outsideWindow: Rule = ({ claim, owner, windowHold }) => {
  if (claim.want.state !== 'Inactive') return undefined;
  const hold = windowHold((owner ?? claim).input);
  return hold && { result: 'Held', ...hold };
};
