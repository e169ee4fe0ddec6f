// The keys of connections. One text identifies a connection of either kind: `namespace/name`, or `/name` for a
// ClusterRoleAlertConnection. They cannot collide, because no namespace has an empty name.
import type { ConnectionRef } from './generated/role-alert-policy.ts';
import { type AnyConnection, clusterConnectionKind, connectionKind, type RoleAlertPolicy } from './resources.ts';

/** The connection that a policy refers to; it need not exist. */
export function connectionKeyOf({ metadata, spec }: Pick<RoleAlertPolicy, 'metadata' | 'spec'>): string {
  const { kind, name } = spec.connectionRef;
  return kind === clusterConnectionKind ? `/${name}` : `${metadata.namespace}/${name}`;
}

/** The kind, and the namespace and name; `namespace` is undefined for a ClusterRoleAlertConnection. */
export function partsOfConnectionKey(key: string): {
  readonly kind: AnyConnection['kind'] & ConnectionRef['kind'];
  readonly namespace: string | undefined;
  readonly name: string;
} {
  const [namespace = '', name = ''] = key.split('/');
  return isClusterConnectionKey(key)
    ? { kind: clusterConnectionKind, namespace: undefined, name }
    : { kind: connectionKind, namespace, name };
}

export function isClusterConnectionKey(key: string): boolean {
  return key.startsWith('/');
}
