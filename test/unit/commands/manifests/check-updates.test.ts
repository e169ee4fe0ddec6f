// What an API server would refuse as an update: the rules of the CRDs that compare with the stored object.
import { describe, expect, test } from 'vitest';

import { problemLine } from '../../../../src/commands/findings/problem-report.ts';
import { checkFiles, checkUpdates } from '../../../../src/commands/manifests/check-files.ts';
import { clusterConnection, connection, ledgerEntry, policy } from '../../../support/builders/objects.ts';

const linesFor = (object: object, stored: object | undefined) => {
  const { valid, problems } = checkFiles([{ name: 'a.json', text: JSON.stringify(object), isNamed: true }], 0);
  expect(problems).toEqual([]);
  return checkUpdates(valid, () => stored).map(problemLine);
};

const manifestOf = ({
  apiVersion,
  kind,
  metadata,
  spec,
}: ReturnType<typeof policy> | ReturnType<typeof connection>) => {
  const { name, namespace } = metadata;
  return { apiVersion, kind, metadata: { name, namespace }, spec };
};

describe('an update of a policy', () => {
  test('may change its alerts, and not its scope and its connection', () => {
    const stored = policy();
    expect(linesFor(manifestOf(policy({ spec: { mode: 'Observe' } })), stored)).toEqual([]);
    const moved = { scope: 'subscriptions/b', connectionRef: { kind: 'RoleAlertConnection', name: 'other' } as const };
    expect(linesFor(manifestOf(policy({ spec: moved })), stored)).toEqual([
      expect.stringContaining('spec.connectionRef: connectionRef cannot be changed'),
      expect.stringContaining('spec.scope: scope cannot be changed'),
    ]);
  });

  test('is a new object for a policy that is not stored', () => {
    expect(linesFor(manifestOf(policy({ spec: { scope: 'subscriptions/b' } })), undefined)).toEqual([]);
  });
});

describe('an update of a connection', () => {
  const { endpoint } = connection().spec;
  const elsewhere = connection({ endpoint: { ...endpoint, baseURL: 'https://other.example' } });

  test('may change its endpoint only while it has no dismissals', () => {
    const stored = connection();
    const dismissing = { ...stored, status: { ...stored.status, dismissals: [ledgerEntry()] } };
    expect(linesFor(manifestOf(elsewhere), stored)).toEqual([]);
    expect(linesFor(manifestOf(elsewhere), dismissing)).toEqual([expect.stringContaining('spec.endpoint: ')]);
    expect(linesFor(manifestOf(connection({ deactivation: 'Deny' })), dismissing)).toEqual([]);
  });

  test('of the cluster has the same rule', () => {
    const { apiVersion, kind, spec, status } = clusterConnection({ endpoint: elsewhere.spec.endpoint });
    const stored = { ...clusterConnection(), status: { ...status, dismissals: [ledgerEntry()] } };
    const manifest = { apiVersion, kind, metadata: { name: 'prod' }, spec };
    expect(linesFor(manifest, stored)).toEqual([expect.stringContaining('spec.endpoint: ')]);
  });
});
