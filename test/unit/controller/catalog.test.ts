// Which policies and connections meet: one scope and one service in whatever spelling.
import { describe, expect, it } from 'vitest';

import { Catalog, endpointKey, objectKey, scopeRefOf } from '../../../src/controller/catalog.ts';
import type { RoleAlertConnection } from '../../../src/policy/resources.ts';
import { connection, policy } from '../../support/plan-input.ts';

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

  it('is met through every connection to it, until that is gone or moves', () => {
    const catalog = new Catalog();
    for (const name of ['a', 'b', 'c'])
      catalog.setConnection(at(name === 'c' ? 'https://other.example' : 'https://x.example', name));
    expect(catalog.siblings('team/a')).toEqual(['team/a', 'team/b']);
    expect(catalog.connectionsAt(at('https://X.example/', 'new'))).toEqual(['team/a', 'team/b']);
    catalog.setConnection(at('https://other.example', 'b'));
    expect([catalog.siblings('team/a'), catalog.siblings('team/c')]).toEqual([['team/a'], ['team/c', 'team/b']]);
    catalog.removeConnection('team/c');
    catalog.removeConnection('team/never');
    expect([catalog.siblings('team/b'), catalog.siblings('team/c')]).toEqual([['team/b'], ['team/c']]);
    catalog.removeConnection('team/b');
    expect(catalog.connectionsAt(at('https://other.example'))).toEqual([]);
  });
});

describe('policies', () => {
  const ref = { connection: 'team/prod', scope: 'subscriptions/a' };

  it('meet at the canonical scope of a connection in their own namespace', () => {
    expect(scopeRefOf(policy({ spec: { scope: 'Subscriptions/A' } }))).toEqual(ref);
    expect(objectKey(policy({ name: 'x' }))).toBe('team/x');
  });

  it('are counted where they are, and only there', () => {
    const catalog = new Catalog();
    catalog.setPolicy('team/one', ref);
    catalog.setPolicy('team/two', ref);
    catalog.setPolicy('team/two', ref);
    catalog.setPolicy('team/three', { ...ref, scope: 'subscriptions/b' });
    expect([...catalog.policiesAt(ref)]).toEqual(['team/one', 'team/two']);
    expect([...catalog.scopesOf('team/prod')]).toEqual(['subscriptions/a', 'subscriptions/b']);
    expect([catalog.policyCount('team/prod'), catalog.policyCount('team/other')]).toEqual([3, 0]);
    expect([
      [...catalog.policiesAt({ ...ref, connection: 'team/other' })],
      [...catalog.scopesOf('team/other')],
    ]).toEqual([[], []]);
  });

  it('that move or go leave no empty scope behind', () => {
    const catalog = new Catalog();
    catalog.setPolicy('team/one', ref);
    catalog.setPolicy('team/two', ref);
    catalog.setPolicy('team/one', { connection: 'team/other', scope: 'subscriptions/b' });
    expect([[...catalog.policiesAt(ref)], [...catalog.scopesOf('team/other')]]).toEqual([
      ['team/two'],
      ['subscriptions/b'],
    ]);
    catalog.removePolicy('team/two');
    catalog.removePolicy('team/never');
    expect([[...catalog.scopesOf('team/prod')], [...catalog.policiesAt(ref)]]).toEqual([[], []]);
    expect(catalog.policyCount('team/other')).toBe(1);
  });
});
