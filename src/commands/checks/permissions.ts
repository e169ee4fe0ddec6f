// What the operator needs of RBAC, and what the commands need, and which of it the API server denies. A test compares the first table with
// deploy/base.
import { objectOf } from '../../lib/json-shape.ts';
import type { KubeTransport } from '../../operator/kube/transport.ts';
import { apiGroup, clusterConnectionPlural, connectionPlural, policyPlural } from '../../policy/resources.ts';
import { stepDeadlineMs } from './check.ts';

export interface Permission {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly verb: string;
  /** Only in this namespace. */
  readonly namespace?: string;
  /** Only of this object. */
  readonly name?: string;
}

const kinds = [policyPlural, connectionPlural, clusterConnectionPlural];
const withoutNamespace = new Set([clusterConnectionPlural, 'namespaces']);
const reading = ['get', 'list', 'watch'];

/** `lease`: where the leader election is. `watchNamespaces`: empty for all; an operator of some does without cluster connections. */
export function operatorPermissions(
  lease: { readonly namespace: string; readonly name: string },
  watchNamespaces: readonly string[],
): readonly Permission[] {
  const leases = { group: 'coordination.k8s.io', resource: 'leases', namespace: lease.namespace };
  const everywhere: readonly Permission[] = [
    ...kinds.flatMap((resource) => reading.map((verb) => ({ group: apiGroup, resource, verb }))),
    ...kinds.map((resource) => ({ group: apiGroup, resource, subresource: 'status', verb: 'update' })),
    ...[connectionPlural, clusterConnectionPlural].map((resource) => ({ group: apiGroup, resource, verb: 'patch' })),
    ...reading.map((verb) => ({ group: '', resource: 'namespaces', verb })),
    { group: '', resource: 'secrets', verb: 'get' },
    { group: '', resource: 'configmaps', verb: 'get' },
    { group: 'events.k8s.io', resource: 'events', verb: 'create' },
  ];
  const inNamespaces = everywhere.filter(({ resource }) => !withoutNamespace.has(resource));
  return [
    ...(watchNamespaces.length === 0 ? everywhere : []),
    ...watchNamespaces.flatMap((namespace) => inNamespaces.map((each) => Object.assign({ namespace }, each))),
    { ...leases, verb: 'create' },
    ...[...reading, 'update'].map((verb) => Object.assign({ verb, name: lease.name }, leases)),
  ];
}

export interface CallerNeed {
  readonly permission: Permission;
  /** What a person can do with it. */
  readonly use: string;
  /** The role that grants it. */
  readonly role: string;
}

/** `namespace`: undefined for all namespaces. */
export function callerNeeds(namespace: string | undefined): readonly CallerNeed[] {
  const place = namespace === undefined ? {} : { namespace };
  const own = (resource: string, verb: string): Permission => ({ group: apiGroup, resource, verb, ...place });
  return [
    { permission: own(policyPlural, 'list'), use: 'read policies', role: 'rolealerts-view' },
    { permission: own(connectionPlural, 'list'), use: 'read connections', role: 'rolealerts-view' },
    { permission: own(policyPlural, 'patch'), use: 'change policies', role: 'rolealerts-edit' },
    {
      permission: { group: apiGroup, resource: clusterConnectionPlural, verb: 'list' },
      use: 'read ClusterRoleAlertConnections',
      role: 'rolealerts-platform-admin',
    },
  ];
}

/** `get secrets in rolealerts-system` */
export function permissionText({ group, resource, subresource, verb, namespace, name }: Permission): string {
  const of = subresource === undefined ? resource : `${resource}/${subresource}`;
  const qualified = group === '' ? of : `${of}.${group}`;
  return `${verb} ${qualified}${name === undefined ? '' : ` ${name}`}${namespace === undefined ? '' : ` in ${namespace}`}`;
}

/** The permissions that a ServiceAccount lacks, or the caller. Rejects with `kube-denied` when the caller may not ask for others. */
export async function lackedBy(
  transport: KubeTransport,
  account: { readonly namespace: string; readonly name: string } | 'caller',
  permissions: readonly Permission[],
  signal: AbortSignal,
): Promise<readonly Permission[]> {
  const allowed = await Promise.all(permissions.map((each) => isAllowed(transport, account, each, signal)));
  return permissions.filter((_, index) => allowed[index] !== true);
}

async function isAllowed(
  transport: KubeTransport,
  account: { readonly namespace: string; readonly name: string } | 'caller',
  resourceAttributes: Permission,
  signal: AbortSignal,
): Promise<boolean> {
  const kind = account === 'caller' ? 'SelfSubjectAccessReview' : 'SubjectAccessReview';
  const spec = { ...(account !== 'caller' && subjectOf(account)), resourceAttributes };
  const answer = await transport.request<unknown>({
    verb: 'create',
    path: `/apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`,
    body: JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind, spec }),
    deadlineMs: stepDeadlineMs,
    signal,
  });
  return objectOf(objectOf(answer)['status'])['allowed'] === true;
}

function subjectOf({ namespace, name }: { readonly namespace: string; readonly name: string }): object {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return { user: `system:serviceaccount:${namespace}:${name}`, groups };
}
