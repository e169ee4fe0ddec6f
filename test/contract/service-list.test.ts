// Listing the alerts of a scope (sections 2, 4.1 and 9): the response, and its pages.

import { describe, expect, test } from 'vitest';

import { startService, listOne, sharedService } from '../support/servers/alerts-service-cases.ts';
import {
  apiVersion,
  errorOf,
  listOf,
  listPath,
  type Received,
  type ServiceUnderTest,
} from '../support/servers/alerts-service.ts';

const namesOf = (received: Received) => listOf(received).value.map(({ name }) => name);

const shared = sharedService();
describe('lists', () => {
  test('every alert of the scope in the order of the seed', async () => {
    const service = await shared();
    const received = await service.send({ target: listOne });
    expect(received.status).toBe(200);
    expect(received.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(received.text)),
      'cache-control': 'no-store',
    });
    expect(namesOf(received)).toEqual(['A', 'B', 'C', 'D', 'E']);
    expect(listOf(received)).not.toHaveProperty('nextLink');
  });

  test('the members that the seed left out', async () => {
    const service = await startService({ seed: { scopes: { 'subscriptions/s': { value: [{ name: 'New' }] } } } });
    const { value } = listOf(await service.send({ target: `/subscriptions/s${listPath}?${apiVersion}` }));
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const id = (type: string) => `/subscriptions/s/providers/Vendor.Authorization/${type}/New`;
    expect(value).toEqual([
      {
        id: id('roleManagementAlerts'),
        name: 'New',
        type: 'Vendor.Authorization/roleManagementAlerts',
        properties: {
          isActive: false,
          alertConfiguration: {
            id: id('roleManagementAlertConfigurations'),
            name: 'New',
            type: 'Vendor.Authorization/roleManagementAlertConfigurations',
            properties: { alertDefinitionId: 'New', isEnabled: true, scope: 'subscriptions/s' },
          },
          alertDefinition: {
            id: id('roleManagementAlertDefinitions'),
            name: 'New',
            type: 'Vendor.Authorization/roleManagementAlertDefinitions',
            properties: { displayName: 'New', scope: 'subscriptions/s' },
          },
          alertIncidents: [],
          incidentCount: 0,
          lastModifiedDateTime: at,
          lastScannedDateTime: at,
          scope: 'subscriptions/s',
        },
      },
    ]);
  });

  test('the number of incidents of an alert whose seed left it out', async () => {
    const alertIncidents = [{ name: 'first' }, { name: 'second' }];
    const seed = { scopes: { 'subscriptions/s': { value: [{ name: 'New', properties: { alertIncidents } }] } } };
    const service = await startService({ seed });
    const [alert] = listOf(await service.send({ target: `/subscriptions/s${listPath}?${apiVersion}` })).value;
    expect(alert?.properties).toMatchObject({ incidentCount: 2, alertIncidents });
  });

  test('nothing of a scope that has no alerts', async () => {
    const service = await shared();
    const received = await service.send({ target: `/subscriptions/empty${listPath}?${apiVersion}` });
    expect([received.status, received.text]).toEqual([200, '{"value":[]}']);
  });

  test.each([
    ['in another case', `/SUBSCRIPTIONS/One/Providers/vendor.authorization/rolemanagementALERTS?${apiVersion}`, 5],
    ['with %2F for its slashes', `/subscriptions%2Fone${listPath}?${apiVersion}`, 5],
    ['with encoded letters', `/subscriptions/%6Fne${listPath}?${apiVersion}`, 5],
    ['with a space and brackets', `/subscriptions/two%20words/resourceGroups/x(1)${listPath}?${apiVersion}`, 1],
    [
      'that holds providers itself',
      `/subscriptions/one/providers/Vendor.Compute/machines/m${listPath}?${apiVersion}`,
      1,
    ],
    ['among unknown parameters', `${listOne}&$top=2&x=1`, 5],
  ])('a scope named %s', async (_, target, count) => {
    const service = await shared();
    expect(namesOf(await service.send({ target }))).toHaveLength(count);
  });

  test('the namespace that it was started with, and no other', async () => {
    const service = await startService({ providerNamespace: 'Contoso.Authorization' });
    const target = `/subscriptions/one/providers/Contoso.Authorization/roleManagementAlerts?${apiVersion}`;
    expect(listOf(await service.send({ target })).value[0]).toMatchObject({
      type: 'Contoso.Authorization/roleManagementAlerts',
    });
    expect(errorOf(await service.send({ target: listOne }))).toBe('404 RouteNotFound');
  });

  test('HEAD like GET, without the body', async () => {
    const service = await shared();
    const [get, head] = [
      await service.send({ target: listOne }),
      await service.send({ method: 'HEAD', target: listOne }),
    ];
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });
});

describe('pages', () => {
  const walk = async (service: ServiceUnderTest, target: string, between: () => Promise<unknown> = async () => 0) => {
    const pages: string[][] = [];
    for (let link: string | undefined = target; link !== undefined && pages.length < 10;) {
      const received = await service.send({ target: link });
      pages.push(namesOf(received));
      const next: string | undefined = listOf(received).nextLink;
      if (next !== undefined) expect(next.startsWith(`${service.origin}/subscriptions/one${listPath}?`)).toBe(true);
      link = next?.slice(service.origin.length);
      await between();
    }
    return pages;
  };

  test.each([
    [1, [['A'], ['B'], ['C'], ['D'], ['E']]],
    [2, [['A', 'B'], ['C', 'D'], ['E']]],
    [5, [['A', 'B', 'C', 'D', 'E']]],
  ])('of %i alerts follow each other through nextLink', async (pageSize, pages) => {
    expect(await walk(await startService({ pageSize }), listOne)).toEqual(pages);
  });

  test('have links that are URIs, also when the path was not', async () => {
    const scope = 'a{b}|c';
    const alerts = { value: [{ name: 'A' }, { name: 'B' }] };
    const service = await startService({ pageSize: 1, seed: { scopes: { [scope]: alerts } } });
    const { nextLink = '' } = listOf(await service.send({ target: `/${scope}${listPath}?${apiVersion}` }));
    expect(nextLink).toContain('/a%7Bb%7D%7Cc/providers/');
    expect(namesOf(await service.send({ target: nextLink.slice(service.origin.length) }))).toEqual(['B']);
  });

  test('end when the alerts that were left are gone', async () => {
    const service = await startService({ pageSize: 4 });
    const { nextLink = '' } = listOf(await service.send({ target: listOne }));
    await service.alerts.removeAlert('subscriptions/one', 'E');
    const received = await service.send({ target: nextLink.slice(service.origin.length) });
    expect(received.text).toBe('{"value":[]}');
  });

  test('need a skip token of this scope', async () => {
    const service = await startService({ pageSize: 1 });
    const { nextLink = '' } = listOf(await service.send({ target: listOne }));
    const token = new URL(nextLink).searchParams.get('skipToken') ?? '';
    for (const bad of ['', 'x', '1', `${token}A`, token.toLowerCase(), Buffer.from('1.x').toString('base64url')]) {
      expect(errorOf(await service.send({ target: `${listOne}&skipToken=${bad}` }))).toBe('400 InvalidSkipToken');
    }
    const elsewhere = `/subscriptions/empty${listPath}?${apiVersion}&skipToken=${token}`;
    expect(errorOf(await service.send({ target: elsewhere }))).toBe('400 InvalidSkipToken');
    expect(errorOf(await service.send({ target: `${listOne}&skipToken=${token}&skipToken=${token}` }))).toBe(
      '400 InvalidQuery',
    );
  });

  test('are on the origin that the request was sent to', async () => {
    const service = await startService({ pageSize: 1 });
    const received = await service.send({ target: listOne, headers: { host: 'Alerts.example.net:8443' } });
    expect(new URL(listOf(received).nextLink ?? '').host).toBe('alerts.example.net:8443');
    for (const host of ['user@evil.test', 'evil.test/path', 'a b']) {
      expect(errorOf(await service.send({ target: listOne, headers: { host } }))).toBe('400 InvalidTarget');
    }
  });
});
