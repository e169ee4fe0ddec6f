// A policy as a plan takes it: with what its connection grants to it now.
import { type SelectEntries, selectEntries } from '../policy/access.ts';
import { grantOf, noGrant } from '../policy/grant.ts';
import type { AnyConnection, NamespaceMetadata, RoleAlertPolicy } from '../policy/resources.ts';
import { isSuspended } from '../policy/suspension.ts';
import type { PolicyInput } from './plan-input.ts';

/** A policy with the objects that its grant depends on. */
export interface GrantedPolicy {
  readonly policy: RoleAlertPolicy;
  /** `namespace/name`. */
  readonly key: string;
  /** The one that the policy refers to. Undefined when it does not exist: then nothing is granted. */
  readonly connection: AnyConnection | undefined;
  /** That of the policy; undefined when it is not known. */
  readonly namespace: NamespaceMetadata | undefined;
}

/** `nowMs`: milliseconds since 1970. */
export function policyInputOf(
  { policy, key, connection, namespace }: GrantedPolicy,
  nowMs: number,
  select: SelectEntries = selectEntries,
): PolicyInput {
  const grant = connection ? grantOf(connection, policy, namespace, select) : noGrant;
  return { policy, key, isSuspended: isSuspended(policy.spec, nowMs), grant };
}
