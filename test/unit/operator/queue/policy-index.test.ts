// Which policies and connections meet: one scope and one service in whatever spelling.
import { describe, expect, it } from 'vitest';

import { PolicyIndex, PolicyNamespaces, rememberSelections } from '../../../../src/operator/queue/policy-index.ts';
import { endpointKey } from '../../../../src/policy/endpoint-key.ts';
import type { RoleAlertConnection } from '../../../../src/policy/resources.ts';
import { namespacedName, type ScopeRef, scopeRefOf } from '../../../../src/policy/scope-ref.ts';
import { accessEntry, connection, namespace, policy } from '../../../support/builders/objects.ts';

function at(baseURL: string, name = 'prod', providerNamespace = 'Vendor.Authorization'): RoleAlertConnection {
  const base = connection({ endpoint: { baseURL, providerNamespace, apiVersion: '1' } });
  return { ...base, metadata: { ...base.metadata, name } };
}

describe('one service', () => {
  it.each([
    ['https://Alerts.Example', 'https://alerts.example/'],
    ['https://alerts.example:443/', 'https://alerts.example'],
    ['https://alerts.example/gw//', 'https://alerts.example/gw'],
    ['https://alerts.example/GW', 'https://alerts.example/gw'],
    ['https://alerts.example./gw', 'https://alerts.example/gw'],
    ['https://alerts.example/%67%57%2d1', 'https://alerts.example/gw-1'],
    ['no address//', 'No Address'],
  ])('is at %s and at %s', (one, other) => {
    expect(endpointKey(at(one))).toBe(endpointKey(at(other)));
  });

  it('is another one with another origin, path or provider', () => {
    const others = [
      at('https://alerts.example'),
      at('https://alerts.example:8443'),
      at('http://alerts.example'),
      at('https://alerts.example/gw'),
      at('https://alerts.example/gw/a'),
      at('https://alerts.example/gw%2fa'),
      at('https://alerts.example/gw?a'),
      at('no address'),
      at('another that is none'),
      at('https://alerts.example', 'prod', 'Other.Authorization'),
      at('https://other.example'),
    ];
    expect(new Set(others.map(endpointKey)).size).toBe(others.length);
    expect(endpointKey(at('https://a.example', 'prod', 'VENDOR.authorization'))).toBe(
      endpointKey(at('https://a.example')),
    );
  });
});

describe('policies', () => {
  const ref = { connection: 'team/prod', scope: 'subscriptions/a' };

  it('meet at the canonical scope of a connection in their own namespace', () => {
    expect(scopeRefOf(policy({ spec: { scope: 'Subscriptions/A' } }))).toEqual(ref);
    expect(namespacedName(policy({ name: 'x' }))).toBe('team/x');
  });

  it('that are set where they are keep their order, and their scope has changed once', () => {
    const changed: ScopeRef[] = [];
    const policyIndex = new PolicyIndex((each) => changed.push(each));
    for (const key of ['team/one', 'team/two', 'team/one']) policyIndex.setPolicy(key, ref);
    expect(policyIndex.policiesAt(ref)).toEqual(['team/one', 'team/two']);
    expect(changed).toEqual([ref, ref, ref]);
    policyIndex.removePolicy('team/one');
    expect([policyIndex.policiesAt(ref), policyIndex.policyCount('team/prod')]).toEqual([['team/two'], 1]);
  });
});

describe('the namespaces of a ClusterRoleAlertConnection', () => {
  it('count while they have policies of it', () => {
    const namespaces = new PolicyNamespaces();
    for (const key of ['team/one', 'team/two', 'web/one']) namespaces.add(key, '/prod');
    namespaces.add('other/one', 'other/prod');
    expect([namespaces.count('/prod'), namespaces.policiesIn('team')]).toEqual([2, ['team/one', 'team/two']]);
    namespaces.delete('web/one', '/prod');
    namespaces.delete('team/one', '/prod');
    expect([namespaces.count('/prod'), namespaces.policiesIn('web'), namespaces.count('other/prod')]).toEqual([
      1,
      [],
      0,
    ]);
  });
});

// The entries that select a namespace are found once, and again after a change of the labels or the entries.

const entries = [
  accessEntry({ scopes: ['subscriptions/a'] }),
  accessEntry({ scopes: ['subscriptions/b'], namespaceSelector: { matchLabels: { stage: 'prod' } } }),
];

describe('the entries that select a namespace', () => {
  it('are found once for the same entries and the same namespace', () => {
    const select = rememberSelections();
    const known = namespace();
    expect(select(entries, known)).toBe(select(entries, known));
  });
});
