// The permissions that `doctor` asks for are those that deploy/base grants.
import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { callerNeeds, operatorPermissions, permissionText } from '../../../../src/commands/checks/permissions.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

function rulesOf(file: string, kind: string): readonly Rule[] {
  const documents = parseAllDocuments(
    readFileSync(new URL(`../../../../deploy/base/${file}`, import.meta.url), 'utf8'),
  );
  const roles = documents.map((document) => document.toJS() as { kind: string; rules?: readonly Rule[] });
  return roles.filter((each) => each.kind === kind).flatMap(({ rules = [] }) => rules);
}

const expanded = ({ apiGroups, resources, verbs, resourceNames = [''] }: Rule) =>
  apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) => resourceNames.map((name) => `${verb} ${resource}.${group} ${name}`)),
    ),
  );

test('those of the operator are the rules of operator-role.yaml and lease-role.yaml', () => {
  const rules = [...rulesOf('operator-role.yaml', 'ClusterRole'), ...rulesOf('lease-role.yaml', 'Role')];
  const asked = operatorPermissions({ namespace: 'security', name: 'rolealerts' }, []).map(
    ({ verb, resource, subresource, group, name = '' }) =>
      `${verb} ${subresource === undefined ? resource : `${resource}/${subresource}`}.${group} ${name}`,
  );
  expect(asked.toSorted()).toEqual(rules.flatMap(expanded).toSorted());
});

test('those of the caller name roles that exist', () => {
  const roles = parseAllDocuments(
    readFileSync(new URL('../../../../deploy/base/user-roles.yaml', import.meta.url), 'utf8'),
  );
  const names = roles.map((document) => (document.toJS() as { metadata: { name: string } }).metadata.name);
  for (const { role } of callerNeeds(undefined)) expect(names).toContain(role);
});

test('a permission is written with its group, object and namespace', () => {
  const [first, ...others] = operatorPermissions({ namespace: 'security', name: 'shard-a' }, []);
  expect(permissionText(first!)).toBe('get rolealertpolicies.rolealerts.dev');
  expect(permissionText(others.at(-1)!)).toBe('update leases.coordination.k8s.io shard-a in security');
});
