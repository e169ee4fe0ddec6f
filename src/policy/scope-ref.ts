// Names of objects, and which work item a policy belongs to.
import { canonicalScope } from '../alerts/resource-id.ts';
import { connectionKeyOf } from './connection-key.ts';
import type { RoleAlertPolicy } from './resources.ts';

/** Identifies a work item: one scope through one connection. */
export interface ScopeRef {
  /** The key of the connection (policy/connection-key.ts). */
  readonly connection: string;
  /** Canonical scope, or the denied scope of one policy. */
  readonly scope: string;
}

/** `namespace/name`; `/name` of a cluster-scoped object. */
export function namespacedName(object: {
  readonly metadata: { readonly namespace?: string | undefined; readonly name: string };
}): string {
  const { namespace = '', name } = object.metadata;
  return `${namespace}/${name}`;
}

export function scopeRefOf(policy: RoleAlertPolicy): ScopeRef {
  return { connection: connectionKeyOf(policy), scope: canonicalScope(policy.spec.scope) };
}
