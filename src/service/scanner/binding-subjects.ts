// The subjects of a binding as assignees.
import { arrayOf, isObject, isString } from '../../lib/json-shape.ts';
import type { Assignee } from './assignments.ts';
import type { ClusterObject } from './object-metadata.ts';

/** Section 2.5 defines only the type User; Group and ServicePrincipal are the usual types for the others. */
export function assigneesOf(binding: ClusterObject): readonly Assignee[] {
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
