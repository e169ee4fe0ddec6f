// The words of a user for an object, as kubectl reads them.
import { expect, test } from 'vitest';

import { objectName, readObjectName } from '../../../../src/commands/report/object-name.ts';

test.each([
  ['owners', 'RoleAlertPolicy', 'owners'],
  ['policy/owners', 'RoleAlertPolicy', 'owners'],
  ['rap/owners', 'RoleAlertPolicy', 'owners'],
  ['rolealertpolicy.rolealerts.dev/owners', 'RoleAlertPolicy', 'owners'],
  ['rolealertpolicies/owners', 'RoleAlertPolicy', 'owners'],
  ['connection/prod', 'RoleAlertConnection', 'prod'],
  ['RAC/prod', 'RoleAlertConnection', 'prod'],
  ['clusterconnection/prod', 'ClusterRoleAlertConnection', 'prod'],
  ['crac/prod', 'ClusterRoleAlertConnection', 'prod'],
  ['clusterrolealertconnections.rolealerts.dev/prod', 'ClusterRoleAlertConnection', 'prod'],
])('%s is the %s %s', (text, kind, name) => {
  expect(readObjectName(text)).toEqual({ kind, name });
});

test.each(['secret/prod', '/prod', 'rap.example.net/owners', 'constructor/x'])('%s is no object of ours', (text) => {
  expect(readObjectName(text)).toBeUndefined();
});

test('an object has the name that its conditions use', () => {
  const metadata = { namespace: 'team', name: 'prod' };
  expect(objectName({ kind: 'RoleAlertPolicy', metadata })).toBe('policy team/prod');
  expect(objectName({ kind: 'RoleAlertConnection', metadata })).toBe('connection team/prod');
  expect(objectName({ kind: 'ClusterRoleAlertConnection', metadata: { name: 'prod' } })).toBe(
    'ClusterRoleAlertConnection prod',
  );
});
