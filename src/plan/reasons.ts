// The reasons of all conditions and their messages; policy-reasons.ts and connection-reasons.ts list them with the advice that
// deploy/reference/conditions.md shows. Messages are constant, so that
// an unchanged state causes no status write. The service's own messages go to the log only.
import { connectionReasons } from './connection-reasons.ts';
import { policyReasons } from './policy-reasons.ts';

export type PolicyReason = keyof typeof policyReasons;
export type ConnectionReason = keyof typeof connectionReasons;
export type Reason = PolicyReason | ConnectionReason;

const reasons: Readonly<Record<Reason, { readonly message: string }>> = { ...policyReasons, ...connectionReasons };

/** The message of a reason, followed by the service's `error.code` if there is one. */
export function conditionMessage(reason: Reason, serviceCode?: string): string {
  const { message } = reasons[reason];
  return serviceCode === undefined ? message : `${message} The service's code: ${serviceCode}.`;
}
