// What `version` prints of the program and of a cluster.
import { expect, test } from 'vitest';

import { type ClusterVersion, versionJson, versionText } from '../../../../src/commands/report/version-text.ts';

const client = { version: '0.1.0', commit: 'abc', node: 'v26.0.0', platform: 'linux/x64' };
const schemas = { rolealertpolicies: 'Same', rolealertconnections: 'Same' } as const;
const cluster: ClusterVersion = {
  kubernetes: 'v1.36.3',
  schemas,
  operators: [{ name: 'rolealerts', image: 'registry/rolealerts:0.0.9', version: '0.0.9' }],
};
const own = 'rolealerts 0.1.0\ncommit:   abc\nnode:     v26.0.0\nplatform: linux/x64\n';

test('the program alone', () => {
  expect(versionText(client)).toBe(own);
});

test('a cluster with the schemas of the program', () => {
  expect(versionText(client, cluster)).toBe(`${own}cluster:  Kubernetes v1.36.3
crds:     served with the schemas of this program
operator: 0.0.9 (rolealerts, registry/rolealerts:0.0.9)
`);
});

test.each([
  [
    'schemas that differ',
    { schemas: { ...schemas, rolealertpolicies: 'Different' } },
    'rolealertpolicies: another, rolealertconnections: same',
  ],
  ['no CRDs', { schemas: { rolealertpolicies: 'NotServed' } }, 'crds:     not served; apply crds/ of this version'],
  ['an operator elsewhere', { operators: [] }, 'not found; name its namespace with --operator-namespace'],
  ['a caller who may not read it', { operators: undefined }, 'not known; you may not read its Deployment'],
] as const)('%s', (_, change, line) => {
  expect(versionText(client, { ...cluster, ...change })).toContain(line);
});

test('a cluster that does not answer', () => {
  expect(versionText(client, 'no answer within 3 s')).toBe(`${own}cluster:  no answer within 3 s\n`);
});

test('JSON has a version, and either the cluster or the problem', () => {
  const head = { apiVersion: 'cli.rolealerts.dev/v1', kind: 'VersionReport', client };
  expect(JSON.parse(versionJson(client))).toEqual(head);
  expect(JSON.parse(versionJson(client, cluster))).toEqual({ ...head, cluster });
  expect(JSON.parse(versionJson(client, 'late'))).toEqual({ ...head, problem: 'late' });
});
