// The OpenAPI description as the service serves it, and a generated third-party client, unmodified: types by openapi-typescript, requests by openapi-fetch. It knows only
// the OpenAPI description, and it encodes the scope as path parameters are encoded, with %2F for its slashes.
import { readFile } from 'node:fs/promises';

import createClient from 'openapi-fetch';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { type RunningAlertsService, startAlertsService } from '../../src/service/server.ts';
import type { components, paths } from '../fixtures/service/openapi-types.ts';
import { describedDocument, fingerprintOf } from '../support/checks/openapi-fingerprint.ts';
import { jsonOf, serviceOptions, startOverSocket, staticToken } from '../support/servers/alerts-service.ts';

type Alert = components['schemas']['Alert'];

const fixture = (name: string) => new URL(`../fixtures/service/${name}`, import.meta.url).pathname;
const list = '/{scope}/providers/Vendor.Authorization/roleManagementAlerts';
const scope = 'subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590';
const query = { 'api-version': '2022-08-01-preview' } as const;

let service: RunningAlertsService;
beforeEach(async () => {
  service = await startAlertsService(serviceOptions({ seedFile: fixture('four-kinds.yaml'), pageSize: 3 }));
});
afterEach(async () => service.stop());

function clientOf(token = staticToken) {
  const targets: string[] = [];
  const client = createClient<paths>({ baseUrl: service.url, headers: { authorization: `Bearer ${token}` } });
  client.use({ onRequest: ({ request }) => void targets.push(request.url.slice(service.url.length)) });
  return { client, targets };
}

/** Every alert of the scope, page by page. */
async function listAll({ client }: ReturnType<typeof clientOf>): Promise<readonly Alert[]> {
  const alerts: Alert[] = [];
  for (let more = {}, pages = 0; pages < 5; pages++) {
    const { data } = await client.GET(list, { params: { path: { scope }, query: { ...query, ...more } } });
    alerts.push(...(data?.value ?? []));
    const skipToken = new URL(data?.nextLink ?? service.url).searchParams.get('skipToken');
    if (skipToken === null) break;
    more = { skipToken };
  }
  return alerts;
}

function update({ client }: ReturnType<typeof clientOf>, alertId: string, isActive: boolean) {
  const body = { properties: { isActive } };
  return client.PATCH(`${list}/{alertId}`, { params: { path: { scope, alertId }, query }, body });
}

describe('a generated client', () => {
  test('lists every alert over several pages, with the slashes of the scope encoded', async () => {
    const calling = clientOf();
    const alerts = await listAll(calling);
    expect(alerts.map(({ name }) => name)).toEqual([
      'TooManyPermanentOwnersAssignedToResource',
      'TooManyOwnersAssignedToResource',
      'RolesAssignedOutsidePrivilegedAccess',
      'DuplicateRoleCreated',
    ]);
    expect(calling.targets).toHaveLength(2);
    for (const target of calling.targets) expect(target).toMatch(/^\/subscriptions%2F0b1f6471-[^/]*\/providers\//);
  });

  test('updates an alert, and finds it so', async () => {
    const calling = clientOf();
    const { response, error } = await update(calling, 'DuplicateRoleCreated', true);
    expect([response.status, error]).toEqual([204, undefined]);
    expect((await listAll(calling)).map(({ properties }) => properties.isActive)).toEqual([false, true, true, true]);
  });

  test('has types that are as new as the description; else run node test/tools/conformance/openapi-types.ts', async () => {
    const text = await readFile(fixture('openapi-types.ts'), 'utf8');
    expect(/fingerprint (\w+)/.exec(text)?.[1]).toBe(fingerprintOf(describedDocument));
  });
});

test('the description is served without a credential, with the public address in it', async () => {
  const service = await startOverSocket({ publicURL: 'https://alerts.example', providerNamespace: 'Other.Name' });
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
  await service.stop();
});
