// Both operations (sections 2, 4, 7 and 9) beside the conformance tests: lists and their pages, the bodies and media types of updates,
// and rejected paths, versions and methods.
import { describe, expect, test } from 'vitest';

import {
  alertA,
  json,
  listOne,
  sharedService,
  startService,
  turnOff,
} from '../support/servers/alerts-service-cases.ts';
import {
  apiVersion,
  errorOf,
  jsonOf,
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

  test.each([
    ['in another case', `/SUBSCRIPTIONS/One/Providers/vendor.authorization/rolemanagementALERTS?${apiVersion}`, 5],
    [
      'that holds providers itself',
      `/subscriptions/one/providers/Vendor.Compute/machines/m${listPath}?${apiVersion}`,
      1,
    ],
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
});

describe('updates', () => {
  test.each([
    ['null for the flag', '{"properties":{"isActive":null}}', 'InvalidBody'],
    ['a list', '[{"properties":{"isActive":false}}]', 'InvalidBody'],
    ['null', 'null', 'InvalidBody'],
    ['the flag twice', '{"properties":{"isActive":true,"isActive":false}}', 'InvalidBody'],
    ['properties twice', '{"properties":{"isActive":true},"properties":{"isActive":false}}', 'InvalidBody'],
    ['a prototype', '{"properties":{"isActive":false},"__proto__":{}}', 'InvalidBody'],
  ])('not with %s in the body', async (_, body, code) => {
    const service = await shared();
    expect(errorOf(await service.send({ ...turnOff, body }))).toBe(`400 ${code}`);
    expect((await service.alerts.readAlert('subscriptions/one', 'A'))?.['properties']).toMatchObject({
      isActive: true,
    });
  });

  test('not with bytes that are not UTF-8', async () => {
    const service = await shared();
    const body = Uint8Array.from([...Buffer.from('{"properties":{"isActive":false}}'), 0xff]);
    expect(errorOf(await service.send({ ...turnOff, body }))).toBe('400 MalformedJson');
  });

  test.each([
    ['no media type', { 'content-type': '' }],
    ['a merge patch', { 'content-type': 'application/merge-patch+json' }],
    ['another charset', { 'content-type': 'application/json; charset=utf-16' }],
    ['a compressed body', { ...json, 'content-encoding': 'gzip' }],
  ])('not with %s', async (_, headers) => {
    const service = await shared();
    const received = await service.send({ ...turnOff, headers });
    expect(errorOf(received)).toBe('415 UnsupportedMediaType');
    const accepted = { 'accept-patch': 'application/json', 'accept-encoding': 'identity' };
    expect(received.headers).toMatchObject(accepted);
  });

  test('with the media type that OPTIONS names', async () => {
    const service = await shared();
    const { status, headers } = await service.send({ method: 'OPTIONS', target: alertA });
    expect([status, headers['accept-patch']]).toEqual([204, 'application/json']);
  });

  test('with a charset that says UTF-8', async () => {
    const service = await startService();
    const headers = { 'content-type': 'Application/JSON; charset="UTF-8"' };
    expect((await service.send({ ...turnOff, headers })).status).toBe(204);
  });
});

const list = (scope: string, query = apiVersion) => `/${scope}${listPath}?${query}`;

test.each([
  ['an unknown scope of an alert', 'PATCH', alertA.replace('one', 'none'), '404 ScopeNotFound'],
  ['an incident of an alert', 'GET', alertA.replace('?', '/alertIncidents?'), '404 RouteNotFound'],
  ['a scope with a leading slash', 'GET', list('/subscriptions/one'), '400 InvalidPath'],
  ['a scope with dots', 'GET', list('subscriptions/../one'), '400 InvalidPath'],
  ['a scope with a control character', 'GET', list('subscriptions/%00'), '400 InvalidPath'],
  ['a scope that is not encoded well', 'GET', list('subscriptions/%zz'), '400 InvalidPath'],
  ['a scope that is too long', 'GET', list('s'.repeat(1025)), '400 InvalidPath'],
  ['no alert name', 'PATCH', listOne.replace('?', '/?'), '400 InvalidPath'],
  ['two api-versions', 'GET', `${listOne}&${apiVersion}`, '400 InvalidQuery'],
])('refuses %s', async (_, method, target, expected) => {
  expect(errorOf(await (await shared()).send({ ...turnOff, method, target }))).toBe(expected);
});

test.each([
  ['/common/oauth2/authorize', 'GET, HEAD, POST, OPTIONS', 'PUT'],
  ['/common/oauth2/token', 'POST, OPTIONS', 'GET'],
  ['/common/oauth2/keys', 'GET, HEAD, OPTIONS', 'POST'],
  ['/.well-known/oauth-authorization-server', 'GET, HEAD, OPTIONS', 'POST'],
  ['/openapi.json', 'GET, HEAD, OPTIONS', 'POST'],
  [listOne, 'GET, HEAD, OPTIONS', 'PATCH'],
  [alertA, 'PATCH, OPTIONS', 'GET'],
])('lists the methods of %s to OPTIONS without a credential, and refuses another one', async (target, allow, other) => {
  const service = await shared();
  const { status, text, headers } = await service.send({ method: 'OPTIONS', target, headers: { authorization: '' } });
  expect([status, text, headers['allow']]).toEqual([204, '', allow]);
  const refused = await service.send({ method: other, target });
  expect([errorOf(refused), refused.headers['allow']]).toEqual(['405 MethodNotAllowed', allow]);
});

test('the description is served without a credential, with the public address in it', async () => {
  const service = await startService({ publicURL: 'https://alerts.example', providerNamespace: 'Other.Name' });
  const received = await service.send({ target: '/openapi.json', headers: { authorization: '' } });
  expect([received.status, received.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  expect(jsonOf(received)).toMatchObject({
    openapi: expect.stringMatching(/^3\.1\./),
    servers: [{ url: 'https://alerts.example' }],
    paths: {
      '/{scope}/providers/Other.Name/roleManagementAlerts': { get: expect.anything() },
      '/{scope}/providers/Other.Name/roleManagementAlerts/{alertId}': { patch: expect.anything() },
    },
    components: {
      securitySchemes: {
        cloud_auth: {
          flows: { implicit: { authorizationUrl: 'https://alerts.example/common/oauth2/authorize' } },
        },
      },
    },
  });
});
