// Which policies and connections meet: one scope and one service in whatever spelling.
import { describe, expect, it } from 'vitest';

import { rememberSelections } from '../../../../src/operator/queue/policy-index.ts';
import { endpointKey } from '../../../../src/policy/endpoint-key.ts';
import type { RoleAlertConnection } from '../../../../src/policy/resources.ts';
import { accessEntry, connection, namespace } from '../../../support/builders/objects.ts';

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

// The entries that select a namespace are found once, and again after a change of the labels or the entries.

const entries = [
  accessEntry({ scopes: ['subscriptions/a'] }),
  accessEntry({ scopes: ['subscriptions/b'], namespaceSelector: { matchLabels: { stage: 'prod' } } }),
];

describe('the entries that select a namespace', () => {
  const scopesOf = (select: ReturnType<typeof rememberSelections>, ...of: Parameters<typeof select>) =>
    select(...of).flatMap(({ prefixes }) => prefixes);

  it('are found once for the same entries and the same namespace', () => {
    const select = rememberSelections();
    const known = namespace();
    expect(select(entries, known)).toBe(select(entries, known));
  });

  it('are found again for a namespace that got another label', () => {
    const select = rememberSelections();
    expect(scopesOf(select, entries, namespace())).toEqual(['subscriptions/a']);
    const labels = { team: 'a', stage: 'prod' };
    expect(scopesOf(select, entries, namespace(labels))).toEqual(['subscriptions/a', 'subscriptions/b']);
  });

  it('are found again among changed entries', () => {
    const select = rememberSelections();
    const known = namespace();
    expect(scopesOf(select, entries, known)).toEqual(['subscriptions/a']);
    expect(scopesOf(select, [accessEntry({ scopes: ['Subscriptions/C/'] })], known)).toEqual(['subscriptions/c']);
    expect(scopesOf(select, [], known)).toEqual([]);
  });
});
