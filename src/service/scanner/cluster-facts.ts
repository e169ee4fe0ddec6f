// Converts the RBAC objects of a cluster to role assignments: a binding assigns a role to each of its subjects, at the cluster or
// at its namespace. The objects are untrusted: an invalid member counts as absent.
import { arrayOf, isObject, isString, type JsonObject, objectOf, stringOf } from '../../lib/json-shape.ts';
import { isSelected } from '../../policy/label-selector.ts';
import { parseTime } from '../config-files/fields.ts';
import type { ClusterSourceOptions } from '../config-files/scanner-file.ts';
import type { AssignedRole, Assignee, Assignment, Assignments, Requestor, Role, ScopeFacts } from './assignments.ts';
import { permissionsOf } from './role-rules.ts';

export type ClusterObject = JsonObject;

export interface ClusterObjects {
  readonly clusterRoles: readonly ClusterObject[];
  readonly roles: readonly ClusterObject[];
  readonly clusterRoleBindings: readonly ClusterObject[];
  readonly roleBindings: readonly ClusterObject[];
}

export const rbacPath = '/apis/rbac.authorization.k8s.io/v1';

/** The scopes are the cluster and every namespace with a role or a binding. */
export function decodeClusterFacts(objects: ClusterObjects, settings: ClusterSourceOptions): Assignments {
  const templateIds = uidsByPath([...objects.clusterRoles, ...objects.roles]);
  const cluster = `clusters/${settings.name}`;
  const factsOf = (scope: string, roles: readonly ClusterObject[], bindings: readonly ClusterObject[]): ScopeFacts => ({
    scope,
    assignments: bindings.flatMap((binding) => decodeBinding(binding, templateIds, settings)),
    roles: roles.flatMap((role) => decodeRole(role, settings)),
  });
  const [roles, bindings] = [groupByNamespace(objects.roles), groupByNamespace(objects.roleBindings)];
  const namespaces = [...new Set([...roles.keys(), ...bindings.keys()])].filter((name) => name !== '');
  return [
    factsOf(cluster, objects.clusterRoles, objects.clusterRoleBindings),
    ...namespaces.map((name) =>
      factsOf(`${cluster}/namespaces/${name}`, roles.get(name) ?? [], bindings.get(name) ?? []),
    ),
  ];
}

/** The assignments of one binding; a repeated subject counts once. */
function decodeBinding(
  binding: ClusterObject,
  templateIds: ReadonlyMap<string, string>,
  settings: ClusterSourceOptions,
): readonly Assignment[] {
  const { name, namespace, labels, annotations, createdAt } = metadataOf(binding);
  const role = decodeRoleRef(binding, namespace, templateIds);
  if (role === undefined || hasPrefix(role.name, settings.ignoredRolePrefixes)) return [];
  const owners = namespace === undefined ? settings.clusterOwners : settings.namespaceOwners;
  const endsAtMs = parseTime(annotations[settings.endAnnotation] ?? '');
  const requestor = decodeRequestor(binding);
  const assignees = assigneesOf(binding).filter(
    ({ type, id }) => type !== 'User' || !hasPrefix(id, settings.ignoredUserPrefixes),
  );
  const found = assignees.map((assignee): [string, Assignment] => {
    const id = JSON.stringify([name, role.id, assignee.type, assignee.id]);
    const assignment = {
      id,
      role,
      assignee,
      isOwner: owners.includes(role.name),
      isOutside: settings.insideSelector !== undefined && !isSelected(settings.insideSelector, labels),
      ...(endsAtMs !== undefined && { endsAtMs }),
      ...(createdAt !== undefined && { activatedAt: createdAt }),
      ...(requestor && { requestor }),
    };
    return [id, assignment];
  });
  return [...new Map(found).values()];
}

function decodeRoleRef(
  binding: ClusterObject,
  namespace: string | undefined,
  templateIds: ReadonlyMap<string, string>,
): AssignedRole | undefined {
  const { kind, name } = objectOf(binding['roleRef']);
  if (!isString(name)) return undefined;
  const id = pathOf(name, kind === 'Role' ? namespace : undefined);
  const templateId = templateIds.get(id);
  return { id, name, ...(templateId !== undefined && { templateId }) };
}

/** Ignores aggregated roles: the controller manager writes their rules, and empty ones equal each other. */
function decodeRole(object: ClusterObject, settings: ClusterSourceOptions): readonly Role[] {
  const { name, namespace, createdAt } = metadataOf(object);
  if (hasPrefix(name, settings.ignoredRolePrefixes) || isObject(object['aggregationRule'])) return [];
  const createdAtMs = parseTime(createdAt ?? '');
  const role = { id: pathOf(name, namespace), name, permissions: permissionsOf(object['rules']) };
  return [{ ...role, ...(createdAtMs !== undefined && { createdAtMs }) }];
}

function hasPrefix(text: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => text.startsWith(prefix));
}

/** Section 2.5 defines only the type User; Group and ServicePrincipal are the usual types for the others. */
function assigneesOf(binding: ClusterObject): readonly Assignee[] {
  const subjects = arrayOf(binding['subjects']).filter(isObject);
  return subjects.flatMap(({ kind, name, namespace }) => {
    if (!isString(name)) return [];
    if (kind === 'User') return [serviceAccountOf(name) ?? { type: 'User', id: name, name, userPrincipalName: name }];
    if (kind === 'Group') return [{ type: 'Group', id: name, name }];
    if (kind !== 'ServiceAccount' || !isString(namespace)) return [];
    return [serviceAccount(namespace, name)];
  });
}

/** A binding may name a service account also as a User; both are the same assignee. */
function serviceAccountOf(userName: string): Assignee | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(userName) ?? [];
  return namespace === undefined || name === undefined ? undefined : serviceAccount(namespace, name);
}

function serviceAccount(namespace: string, name: string): Assignee {
  return { type: 'ServicePrincipal', id: `system:serviceaccount:${namespace}:${name}`, name: `${namespace}/${name}` };
}

/** Kubernetes does not store the creator of a binding, only the program (field manager) that wrote it first. */
function decodeRequestor(binding: ClusterObject): Requestor | undefined {
  const { managedFields } = objectOf(binding['metadata']);
  const entries = arrayOf(managedFields).filter(isObject);
  const [first] = entries.toSorted((left, right) => timeOf(left) - timeOf(right));
  const name = stringOf(first?.['manager']);
  return name === undefined ? undefined : { name };
}

function timeOf({ time }: JsonObject): number {
  return parseTime(stringOf(time) ?? '') ?? Number.MAX_SAFE_INTEGER;
}

function uidsByPath(roles: readonly ClusterObject[]): ReadonlyMap<string, string> {
  return new Map(
    roles.map((role) => {
      const { name, namespace, uid } = metadataOf(role);
      return [pathOf(name, namespace), uid];
    }),
  );
}

function groupByNamespace(objects: readonly ClusterObject[]): ReadonlyMap<string, readonly ClusterObject[]> {
  return Map.groupBy(objects, (object) => metadataOf(object).namespace ?? '');
}

function pathOf(roleName: string, namespace: string | undefined): string {
  return namespace === undefined
    ? `${rbacPath}/clusterroles/${roleName}`
    : `${rbacPath}/namespaces/${namespace}/roles/${roleName}`;
}

interface Metadata {
  readonly name: string;
  readonly uid: string;
  readonly namespace: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly createdAt: string | undefined;
}

function metadataOf(object: ClusterObject): Metadata {
  const metadata = objectOf(object['metadata']);
  return {
    name: stringOf(metadata['name']) ?? '',
    uid: stringOf(metadata['uid']) ?? '',
    namespace: stringOf(metadata['namespace']),
    labels: textsIn(metadata, 'labels'),
    annotations: textsIn(metadata, 'annotations'),
    createdAt: stringOf(metadata['creationTimestamp']),
  };
}

function textsIn(object: JsonObject, name: string): Readonly<Record<string, string>> {
  const entries = Object.entries(objectOf(object[name])).filter(([, value]) => isString(value));
  return Object.fromEntries(entries) as Readonly<Record<string, string>>;
}
