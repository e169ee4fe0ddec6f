// The words of a user for an object, as kubectl reads them.
import { expect, test } from 'vitest';

import { readObjectName } from '../../../../src/commands/report/object-name.ts';

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
