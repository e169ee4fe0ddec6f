// What a ClusterRoleAlertConnection leaves of a policy's declaration, written from the specified behaviour: it shares no line with the
// operator. A thing is allowed when one entry allows all of it.
import type { StoredObject } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
import type { World } from '../world.ts';

/** A policy and its connection, without what is not granted. */
export interface Granted {
  readonly policy: StoredObject;
  readonly connection: StoredObject;
}

type Labels = Readonly<Record<string, string>>;

/** Undefined when the policy may not even list its scope. `namespace`: that of the policy. A RoleAlertConnection grants everything. */
export function granted(
  policy: StoredObject,
  connection: StoredObject,
  namespace: StoredObject | undefined,
): Granted | undefined {
  if (connection.kind !== 'ClusterRoleAlertConnection') return { policy, connection };
  if (!namespace || namespace.metadata.deletionTimestamp !== undefined) return undefined;
  const { spec = {} } = policy;
  const entries = entriesFor(connection, namespace.metadata.labels ?? {}, String(spec['scope']));
  if (entries.length === 0) return undefined;
  const enforcing = entries.filter(({ maxMode }) => maxMode === 'Enforce');
  const mode = enforcing.length > 0 ? spec['mode'] : 'Observe';
  const guarding = mode === 'Observe' ? entries : enforcing;
  const { unlisted, ...rest } = spec;
  const mayGuard = guarding.some((entry) => entry['unlisted'] === 'Allow');
  const mayDeactivate = enforcing.some(({ deactivation }) => deactivation === 'Allow');
  return {
    policy: { ...policy, spec: { ...rest, mode, ...(mayGuard && unlisted !== undefined && { unlisted }) } },
    connection: mayDeactivate
      ? connection
      : { ...connection, spec: { ...connection.spec, deactivation: 'Deny' } satisfies Json },
  };
}

/** The same with the namespace as it is now. */
export function grantedNow(
  { api: { store } }: World,
  policy: StoredObject,
  connection: StoredObject,
): Granted | undefined {
  return granted(policy, connection, store.get('namespaces', policy.metadata.namespace ?? ''));
}

/** The entries that concern namespaces with these labels, and that scope. */
export function entriesFor({ spec = {} }: StoredObject, labels: Labels, scope: string): readonly Json[] {
  return ((spec['access'] ?? []) as readonly Json[]).filter((entry) => {
    const { matchLabels = {} } = entry['namespaceSelector'] as { matchLabels?: Labels };
    if (!Object.keys(matchLabels).every((name) => labels[name] === matchLabels[name])) return false;
    return (entry['scopes'] as readonly string[]).some((prefix) => contains(prefix, scope));
  });
}

/** Segment by segment. */
function contains(prefix: string, scope: string): boolean {
  const [outer, inner] = [prefix.split('/'), scope.split('/')];
  return outer.every((segment, index) => inner[index]?.toLowerCase() === segment.toLowerCase());
}
