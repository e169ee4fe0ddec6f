import { describe, expect, test } from 'vitest';

import { parseDocument } from '../../../../src/service/config-files/read.ts';
import { defaultThresholds } from '../../../../src/service/scanner/kinds.ts';
import { decodeScannerConfiguration } from '../../../../src/service/scanner/scanner-file.ts';
import { refusalOf } from '../../../support/checks/refusal.ts';

const file = '/etc/rolealerts/scanner.yaml';
const decode = (text: string) => decodeScannerConfiguration(parseDocument('scanner', text, file), file);

const refusal = (text: string) => refusalOf(() => decode(text));

describe('the configuration of the scanner', () => {
  test('needs the path of a file, which is relative to its own', () => {
    expect(decode('source: {file: {path: data/a.yaml}}')).toEqual({
      intervalMs: 300_000,
      thresholds: defaultThresholds,
      source: { from: 'file', path: '/etc/rolealerts/data/a.yaml', owners: ['Owner'] },
    });
  });

  test('may say all of it', () => {
    const text = `
interval: 1h
thresholds: {thresholdNumberOfOwners: 1, thresholdPercentageOfOwnersOutOfAllRoleMembers: 0}
source:
  cluster:
    name: prod
    kubeconfig: /tmp/kubeconfig
    clusterOwners: [boss]
    namespaceOwners: []
    insideSelector: app.kubernetes.io/managed-by=access
    endAnnotation: example.net/until
    ignoredRolePrefixes: []
    ignoredUserPrefixes: [robot-]
`;
    expect(decode(text)).toEqual({
      intervalMs: 3_600_000,
      thresholds: {
        ...defaultThresholds,
        thresholdNumberOfOwners: 1,
        thresholdPercentageOfOwnersOutOfAllRoleMembers: 0,
      },
      source: {
        from: 'cluster',
        name: 'prod',
        kubeconfig: '/tmp/kubeconfig',
        clusterOwners: ['boss'],
        namespaceOwners: [],
        insideSelector: [{ key: 'app.kubernetes.io/managed-by', operator: 'In', values: ['access'] }],
        endAnnotation: 'example.net/until',
        ignoredRolePrefixes: [],
        ignoredUserPrefixes: ['robot-'],
      },
    });
  });

  const source = 'source: {file: {path: a}}';
  test.each([
    ['interval: 5m', 'source is missing'],
    ['source: {file: {path: a}, cluster: {name: b}}', 'source must have either "file" or "cluster"'],
    [`${source}\ninterval: 10ms`, 'interval must be a duration like 5m, from 1s to 168h'],
    [`${source}\ninterval: 169h`, 'interval must be a duration like 5m, from 1s to 168h'],
    [
      `${source}\nthresholds: {thresholdNumberOfOwners: -1}`,
      'thresholds.thresholdNumberOfOwners must be a whole number from 0 to 2147483647',
    ],
    [
      `${source}\nthresholds: {thresholdPercentageOfOwnersOutOfAllRoleMembers: 101}`,
      'thresholds.thresholdPercentageOfOwnersOutOfAllRoleMembers must be a whole number from 0 to 100',
    ],
    ['source: {cluster: {name: a/b}}', 'source.cluster.name must be a valid segment of a scope'],
    [
      'source: {cluster: {name: a, insideSelector: "a=b=c"}}',
      'source.cluster.insideSelector must be a label selector in kubectl syntax',
    ],
  ])('that says %j is refused', (text, problems) => {
    expect(refusal(text)).toBe(`The scanner ${file} is invalid: ${problems}.`);
  });
});
