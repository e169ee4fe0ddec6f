// The reasons of all conditions and their messages; policy-reasons.ts and connection-reasons.ts list them with the advice that
// deploy/reference/conditions.md shows. A message depends
// on the reason and the spec only, so that an unchanged state causes no status write. The service's own messages go to the log only.
import type { CredentialRef } from '../policy/resources.ts';
import { connectionReasons } from './connection-reasons.ts';
import { policyReasons } from './policy-reasons.ts';

export type PolicyReason = keyof typeof policyReasons;
export type ConnectionReason = keyof typeof connectionReasons;
export type Reason = PolicyReason | ConnectionReason;

const reasons: Readonly<Record<Reason, { readonly message: string }>> = { ...policyReasons, ...connectionReasons };

/** The message of a reason, followed by the service's `error.code` if there is one, or by the Secret if the reason is about it. */
export function conditionMessage(reason: Reason, serviceCode?: string, credential?: CredentialRef): string {
  const { message } = reasons[reason];
  if (serviceCode !== undefined) return `${message} The service's code: ${serviceCode}.`;
  if (credential === undefined || !isAboutCredential(reason)) return message;
  const { namespace, name, key } = credential;
  return `${message} Secret: ${namespace}/${name}, key: ${key}.`;
}

function isAboutCredential(reason: Reason): boolean {
  return ['SecretNotFound', 'SecretNotAllowed', 'Unauthorized', 'TokenEndpointFailed'].includes(reason);
}
