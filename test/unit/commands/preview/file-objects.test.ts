// The objects that a preview takes from files.
import { describe, expect, test } from 'vitest';

import { checkFiles } from '../../../../src/commands/manifests/check-files.ts';
import { fileObjects, type PreviewObjects } from '../../../../src/commands/preview/file-objects.ts';
import { appliedTo } from '../../../../src/commands/preview/live-objects.ts';
import { connection, policy } from '../../../support/builders/objects.ts';

const text = `
apiVersion: rolealerts.dev/v1alpha1
kind: RoleAlertPolicy
metadata: {name: owners}
spec: {connectionRef: {name: prod}, scope: subscriptions/a, alerts: [{name: Owners, state: Active}]}
---
apiVersion: rolealerts.dev/v1alpha1
kind: RoleAlertConnection
metadata: {name: prod}
spec: {endpoint: {baseURL: "https://service.example"}, auth: {tokenSecretRef: {name: credentials, key: token}}}
---
apiVersion: rolealerts.dev/v1alpha1
kind: ClusterRoleAlertConnection
metadata: {name: prod}
spec: {endpoint: {baseURL: "https://service.example"}, auth: {tokenSecretRef: {name: credentials, key: token}}}
---
apiVersion: v1
kind: Secret
metadata: {name: credentials, labels: {rolealerts.dev/credential: "true"}}
data: {token: b2xk, other: eA==}
stringData: {token: new}
---
apiVersion: v1
kind: Namespace
metadata: {name: team, labels: {team: a}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: corp-ca, namespace: elsewhere}
data: {ca.crt: PEM}
`;

const read = (file: string): PreviewObjects =>
  fileObjects(checkFiles([{ name: 'a.yaml', text: file, isNamed: true }], 0), 'team');

describe('the objects of files', () => {
  test('have the namespace of the command where they name none, and the defaults of their schema', () => {
    const { policies, connections } = read(text);
    expect(policies.map(({ metadata, spec }) => [metadata.namespace, spec.mode, spec.damping.window])).toEqual([
      ['team', 'Enforce', '6h'],
    ]);
    expect(connections.map(({ kind, metadata, spec }) => [kind, metadata.namespace, spec.limits.burst])).toEqual([
      ['RoleAlertConnection', 'team', 100],
      ['ClusterRoleAlertConnection', undefined, 100],
    ]);
  });

  test('include Secrets, ConfigMaps and the labels of namespaces as an API server stores them', () => {
    const { secrets, configMaps, namespaces } = read(text);
    expect(secrets.get('team/credentials')).toMatchObject({ data: { token: 'bmV3', other: 'eA==' } });
    expect(configMaps.get('elsewhere/corp-ca')).toMatchObject({ data: { 'ca.crt': 'PEM' } });
    expect(namespaces.map(({ metadata }) => metadata.labels)).toEqual([
      { team: 'a', 'kubernetes.io/metadata.name': 'team' },
    ]);
  });

  test('count once for each name: the last one', () => {
    const again = text.split('---')[0]?.replace('subscriptions/a', 'subscriptions/b') ?? '';
    expect(read(`${text}---${again}`).policies.map(({ spec }) => spec.scope)).toEqual(['subscriptions/b']);
  });
});

describe('files on top of a cluster', () => {
  test('replace specs and keep identities and statuses', () => {
    const files = read(text);
    const stored = policy();
    const live = { ...files, policies: [stored, policy({ name: 'second' })], connections: [connection()] };
    const { policies } = appliedTo(live, files);
    expect(policies.map(({ metadata }) => [metadata.name, metadata.uid, metadata.generation])).toEqual([
      ['owners', 'uid-owners', 2],
      ['second', 'uid-second', 1],
    ]);
    expect(policies[0]?.status).toBe(stored.status);
    expect(policies[0]?.spec.alerts?.[0]?.name).toBe('Owners');
  });

  test('leave the generation of an object with the same spec', () => {
    const files = read(text);
    const [first] = files.policies;
    const stored = policy({ spec: first?.spec ?? {} });
    expect(appliedTo({ ...files, policies: [stored] }, files).policies[0]?.metadata.generation).toBe(1);
  });
});
