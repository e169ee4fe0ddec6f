import { describe, expect, test } from 'vitest';

import { decodeClusterFacts, type ClusterObjects } from '../../../../src/service/scanner/cluster-facts.ts';
import type { ClusterObject } from '../../../../src/service/scanner/object-metadata.ts';
import { decodeScannerConfiguration, type ClusterSourceOptions } from '../../../../src/service/scanner/scanner-file.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const nothing: ClusterObjects = { clusterRoles: [], roles: [], clusterRoleBindings: [], roleBindings: [] };

function settings(rest: object = {}): ClusterSourceOptions {
  const { source } = decodeScannerConfiguration({ source: { cluster: { name: 'c', ...rest } } }, 'f');
  if (source.from !== 'cluster') throw new Error('not a cluster');
  return source;
}

const facts = (objects: Partial<ClusterObjects>, rest?: object) =>
  decodeClusterFacts({ ...nothing, ...objects }, settings(rest));

const ada = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'ada' };

function binding(roleName: string, rest: { metadata?: object; kind?: string; subjects?: unknown } = {}): ClusterObject {
  return {
    metadata: { name: 'b', creationTimestamp: '2026-01-01T00:00:00Z', ...rest.metadata },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: rest.kind ?? 'ClusterRole', name: roleName },
    subjects: rest.subjects ?? [ada],
  };
}

const inNamespace = { metadata: { namespace: 'n' } };

/** The one assignment that the objects of a test make. */
function only(objects: Partial<ClusterObjects>, rest?: object) {
  const assignments = facts(objects, rest).flatMap(({ scope, assignments }) =>
    assignments.map((each) => ({ scope, ...each })),
  );
  expect(assignments).toHaveLength(1);
  return assignments[0];
}

describe('a ClusterRoleBinding', () => {
  test('assigns its role at the cluster', () => {
    const role = { metadata: { name: 'cluster-admin', uid: 'u-1' }, rules: [] };
    expect(only({ clusterRoleBindings: [binding('cluster-admin')], clusterRoles: [role] })).toEqual({
      scope: 'clusters/c',
      id: JSON.stringify(['b', `${rbac}/clusterroles/cluster-admin`, 'User', 'ada']),
      role: { id: `${rbac}/clusterroles/cluster-admin`, name: 'cluster-admin', templateId: 'u-1' },
      assignee: { type: 'User', id: 'ada', name: 'ada', userPrincipalName: 'ada' },
      isOwner: true,
      isOutside: false,
      activatedAt: '2026-01-01T00:00:00Z',
    });
  });

  test.each([
    ['cluster-admin', true],
    ['admin', false],
  ])('of %s makes an owner: %s', (role, isOwner) => {
    expect(only({ clusterRoleBindings: [binding(role)] })).toMatchObject({ isOwner });
  });

  test('that names a service account as a user means the same account', () => {
    const subjects = [
      { kind: 'User', name: 'system:serviceaccount:n:a' },
      { kind: 'ServiceAccount', namespace: 'n', name: 'a' },
    ];
    const [one, other] = subjects.map(
      (subject) => only({ clusterRoleBindings: [{ ...binding('view'), subjects: [subject] }] })?.assignee,
    );
    expect(one).toEqual(other);
    expect(one).toEqual({ type: 'ServicePrincipal', id: 'system:serviceaccount:n:a', name: 'n/a' });
  });
});

describe('a RoleBinding', () => {
  test.each([
    ['Role', 'admin', true],
    ['ClusterRole', 'edit', false],
  ])('of the %s %s makes an owner: %s', (kind, role, isOwner) => {
    expect(only({ roleBindings: [binding(role, { ...inNamespace, kind })] })).toMatchObject({ isOwner });
  });

  test('distinguishes a Role of its namespace from a ClusterRole of that name', () => {
    const kinds = ['Role', 'ClusterRole'].map((kind) => binding('admin', { ...inNamespace, kind }));
    const [, namespace] = facts({ roleBindings: kinds });
    expect(namespace?.assignments.map(({ role }) => role.id)).toEqual([
      `${rbac}/namespaces/n/roles/admin`,
      `${rbac}/clusterroles/admin`,
    ]);
    expect(new Set(namespace?.assignments.map(({ id }) => id)).size).toBe(2);
  });
});

describe('a binding', () => {
  test('assigns to each of its subjects, and to none twice', () => {
    const subjects = [
      ada,
      { kind: 'Group', name: 'ada' },
      { kind: 'ServiceAccount', name: 'robot', namespace: 'n' },
      ada,
      { kind: 'ServiceAccount', name: 'nowhere' },
      { kind: 'Planet', name: 'mars' },
      null,
    ];
    const [cluster] = facts({ clusterRoleBindings: [binding('view', { subjects })] });
    expect(cluster?.assignments.map(({ assignee }) => assignee)).toEqual([
      { type: 'User', id: 'ada', name: 'ada', userPrincipalName: 'ada' },
      { type: 'Group', id: 'ada', name: 'ada' },
      { type: 'ServicePrincipal', id: 'system:serviceaccount:n:robot', name: 'n/robot' },
    ]);
  });

  test.each([
    ['an end', { 'rolealerts.dev/assignment-ends-at': '2026-03-01T00:00:00Z' }, Date.UTC(2026, 2, 1)],
    ['none when the annotation is no time', { 'rolealerts.dev/assignment-ends-at': 'soon' }, undefined],
  ])('has %s', (_, annotations, endsAtMs) => {
    expect(only({ clusterRoleBindings: [binding('view', { metadata: { annotations } })] })?.endsAtMs).toBe(endsAtMs);
  });

  test.each([
    ['without a selector', {}, undefined, false],
    ['with the label', { by: 'access' }, 'by=access', false],
    ['without labels', undefined, 'by=access', true],
  ])('%s is outside the privileged access service: %s', (_, labels, insideSelector, isOutside) => {
    const objects = { clusterRoleBindings: [binding('view', { metadata: { labels } })] };
    expect(only(objects, insideSelector === undefined ? {} : { insideSelector })).toMatchObject({ isOutside });
  });

  test('was requested by the program that wrote it first', () => {
    const managedFields = [
      { manager: 'flux', time: '2026-01-02T00:00:00Z' },
      { manager: 'kubectl-create', time: '2026-01-01T00:00:00Z' },
    ];
    expect(only({ clusterRoleBindings: [binding('view', { metadata: { managedFields } })] })).toMatchObject({
      requestor: { name: 'kubectl-create' },
    });
  });

  test('of a system role is ignored unless the configuration includes it', () => {
    const objects = { clusterRoleBindings: [binding('system:node')] };
    expect(facts(objects)[0]?.assignments).toEqual([]);
    expect(only(objects, { ignoredRolePrefixes: [] })).toMatchObject({ role: { name: 'system:node' } });
  });

  test('to a part of the control plane is ignored; to the group of its masters it counts', () => {
    const subjects = [
      { kind: 'User', name: 'system:kube-scheduler' },
      { kind: 'Group', name: 'system:masters' },
    ];
    const objects = { clusterRoleBindings: [binding('cluster-admin', { subjects })] };
    expect(only(objects)).toMatchObject({ assignee: { type: 'Group', id: 'system:masters' }, isOwner: true });
  });

  test.each([
    ['without a role', { metadata: { name: 'b' }, subjects: [ada] }],
    ['with nothing', {}],
  ])('%s assigns nothing', (_, object) => {
    expect(facts({ clusterRoleBindings: [object] })[0]?.assignments).toEqual([]);
  });
});

describe('a role', () => {
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
  const role = (name: string, rest: object = {}, metadata: object = {}) => ({
    metadata: { name, uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
    rules,
    ...rest,
  });
  const names = (objects: Partial<ClusterObjects>) =>
    facts(objects).map(({ scope, roles }) => [scope, roles.map((each) => each.name)]);

  test('belongs to the cluster, or to its namespace', () => {
    const objects = { clusterRoles: [role('a')], roles: [role('b', {}, { namespace: 'n' })] };
    expect(names(objects)).toEqual([
      ['clusters/c', ['a']],
      ['clusters/c/namespaces/n', ['b']],
    ]);
    expect(facts(objects)[1]?.roles).toEqual([
      {
        id: `${rbac}/namespaces/n/roles/b`,
        name: 'b',
        permissions: ['["","pods","/","get"]'],
        createdAtMs: Date.UTC(2026, 0, 1),
      },
    ]);
  });

  test('that is aggregated or of the system is left out', () => {
    const clusterRoles = [role('a'), role('b', { aggregationRule: { clusterRoleSelectors: [] } }), role('system:c')];
    expect(names({ clusterRoles })).toEqual([['clusters/c', ['a']]]);
  });
});
