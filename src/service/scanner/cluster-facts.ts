// Converts the RBAC objects of a cluster to role assignments: a binding assigns a role to each of its subjects, at the cluster or
// at its namespace. The objects are untrusted: an invalid member counts as absent.
import { isObject, isString, objectOf, withoutUndefined } from '../../lib/json-shape.ts';
import { isSelected } from '../../lib/label-selector.ts';
import { parseTime } from '../config-files/shape.ts';
import type { AssignedRole, Assignment, Assignments, Role, ScopeFacts } from './assignments.ts';
import { assigneesOf } from './binding-subjects.ts';
import { type ClusterObject, decodeRequestor, groupByNamespace, metadataOf } from './object-metadata.ts';
import { permissionsOf } from './role-rules.ts';
import type { ClusterSourceOptions } from './scanner-file.ts';

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
      ...withoutUndefined({ endsAtMs, activatedAt: createdAt, requestor }),
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

function uidsByPath(roles: readonly ClusterObject[]): ReadonlyMap<string, string> {
  return new Map(
    roles.map((role) => {
      const { name, namespace, uid } = metadataOf(role);
      return [pathOf(name, namespace), uid];
    }),
  );
}

function pathOf(roleName: string, namespace: string | undefined): string {
  return namespace === undefined
    ? `${rbacPath}/clusterroles/${roleName}`
    : `${rbacPath}/namespaces/${namespace}/roles/${roleName}`;
}
