// The reasons of all conditions and their messages; policy-reasons.ts and connection-reasons.ts list them, and reason-notes.ts
// has what only deploy/runbook.md adds. A message depends on the reason, the specs and the last list only, so that an unchanged
// state causes no status write. The service's own messages go to the log only.
import { capacityReasons, connectionReasons } from './connection-reasons.ts';
import { fillIn, type MessageFacts } from './message-facts.ts';
import { policyReasons, type ReasonText } from './policy-reasons.ts';

export type PolicyReason = keyof typeof policyReasons;
export type ConnectionReason = keyof typeof connectionReasons;
export type CapacityReason = keyof typeof capacityReasons;
export type Reason = PolicyReason | ConnectionReason | CapacityReason;

export const reasonTexts: Readonly<Record<Reason, ReasonText>> = {
  ...policyReasons,
  ...connectionReasons,
  ...capacityReasons,
};

/** The object, what is so, why, and the next step if there is one. */
export function conditionMessage(reason: Reason, facts: MessageFacts = {}): string {
  const { message, next } = reasonTexts[reason];
  return fillIn(next === undefined ? message : `${message} ${next}`, facts);
}

/** Every reason of a condition, in the order of the tables. */
export const allReasons = Object.keys(reasonTexts) as readonly Reason[];
