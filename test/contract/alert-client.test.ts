// The client over a socket: with a misbehaving service the error that the controller receives, without the token in it; what it does
// when the service refuses its token; and whom it trusts.
import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { alertDocument, call, canary, failureOf, scope, startRig } from '../support/rigs/alert-client-rig.ts';
import { answer, errorBody, type Script, startScriptedServer } from '../support/servers/scripted-server.ts';

/** Everything that a service echoes back must not show the token either. */
const echo = errorBody('Denied', `bad token ${canary}`);
const page = (nextLink?: string, name = 'A') => ({ value: [alertDocument(name)], ...(nextLink && { nextLink }) });

const replies =
  (...[status, body, headers]: [number, Parameters<typeof answer>[2]?, Parameters<typeof answer>[3]?]): Script =>
  (_, response) =>
    answer(response, status, body, headers);
const broken = { code: 'service-protocol', reason: 'ProtocolError' };
const requestID = { 'x-request-id': 'req-1' };

/** What the service does, the error that follows, and the number of requests if it is not one. */
const lists: readonly [string, Script, object, number?][] = [
  [
    'an alert on two pages',
    ({ url }, response, index) => answer(response, 200, index === 0 ? page(`${url}&p=1`, 'Same') : page('', 'SAME')),
    broken,
    2,
  ],
  ['a compressed page that was not requested', replies(200, page(), { 'content-encoding': 'gzip' }), broken],
  ['no HTTP', (_, response) => void response.socket?.end('SSH-2.0-OpenSSH_9.9\r\n\r\n'), broken],
  [
    'LIST 403',
    replies(403, echo),
    { code: 'scope-forbidden', status: 403, serviceCode: 'Denied', detail: 'bad token [redacted]' },
  ],
  [
    'LIST 400 with the id of the request',
    replies(400, errorBody('InvalidScope', 'no'), requestID),
    { code: 'service-rejected', detail: 'no (x-request-id req-1)' },
  ],
  [
    'LIST 500 with a text for the id of the request',
    replies(500, '', { 'x-request-id': canary }),
    { code: 'service-unreachable', detail: undefined },
  ],
];

describe('a list', () => {
  test.each(lists)('fails for %s', async (_, script, expected, requests = 1) => {
    await using rig = await startRig(script);
    const { error, printed } = await failureOf(rig.client.listAlerts(scope, call()));
    expect(error).toMatchObject(expected);
    expect(rig.server.requests).toHaveLength(requests);
    expect(rig.samples).toHaveLength(requests);
    expect(printed + rig.logged() + JSON.stringify(rig.samples)).not.toContain(canary);
  });

  test('reads all pages in order and asks for them with the version and the token', async () => {
    await using rig = await startRig(
      ({ url }, response, index) => {
        if (index === 0) answer(response, 200, page('?skip=1', 'A'));
        else answer(response, 200, page(index === 1 ? `${url}&skip=2` : undefined, index === 1 ? 'B' : 'C'));
      },
      { basePath: '/gateway/' },
    );
    const list = await rig.client.listAlerts('subscriptions/a b~(c)', call());
    expect(list.alerts.map(({ name }) => name)).toEqual(['A', 'B', 'C']);
    expect(list.pages).toBe(3);
    const path = '/gateway/subscriptions/a%20b~(c)/providers/Vendor.Authorization/roleManagementAlerts';
    expect(rig.server.requests.map(({ url }) => url)).toEqual([
      `${path}?api-version=2022-08-01-preview`,
      `${path}?skip=1&api-version=2022-08-01-preview`,
      `${path}?skip=1&api-version=2022-08-01-preview&skip=2`,
    ]);
    for (const { headers } of rig.server.requests) {
      expect(headers).toMatchObject({
        authorization: `Bearer ${canary}`,
        'accept-encoding': 'identity',
        'user-agent': expect.stringMatching(/^rolealerts\/\d+\.\d+\.\d+$/),
      });
    }
  });

  test('opens no more connections than the connection allows', async () => {
    const open = new Set<unknown>();
    await using rig = await startRig(
      (_, response) => {
        open.add(response.socket);
        answer(response, 200, page());
      },
      { limits: { maxConcurrent: 2 } },
    );
    await Promise.all(Array.from({ length: 50 }, () => rig.client.listAlerts(scope, call())));
    expect(rig.server.requests).toHaveLength(50);
    expect(open.size).toBeLessThanOrEqual(2);
  });
});

describe('a PATCH', () => {
  test('is sent for 204 and unproven for any other success', async () => {
    const statuses = [204, 200, 202];
    await using rig = await startRig((_, response, index) => answer(response, statuses[index] ?? 500));
    const results = [];
    for (const isActive of [true, false, true])
      results.push(await rig.client.patchAlert(scope, 'A/b c', isActive, call()).catch((error) => error.code));
    expect(results).toEqual(['alert-refused', 'alert-refused', 'alert-refused']);
    expect(rig.server.requests).toEqual([]);
    expect(await rig.client.patchAlert(scope, 'A b', true, call())).toBe('sent');
    expect(await rig.client.patchAlert(scope, 'A b', false, call())).toBe('unproven');
    expect(await rig.client.patchAlert(scope, 'A b', true, call())).toBe('unproven');
    expect(rig.server.requests.map(({ method, url, body }) => [method, url, body])).toEqual(
      [true, false, true].map((isActive) => [
        'PATCH',
        `/${scope}/providers/Vendor.Authorization/roleManagementAlerts/A%20b?api-version=2022-08-01-preview`,
        `{"properties":{"isActive":${isActive}}}`,
      ]),
    );
  });
});

/** Accepts the tokens of `good` only. */
function serviceAccepting(good: readonly string[]): Script {
  return ({ headers }, response) => {
    if (good.includes(headers.authorization?.slice('Bearer '.length) ?? '')) answer(response, 200, page());
    else answer(response, 401, errorBody('InvalidToken', 'no'));
  };
}

describe('a bearer token from a Secret', () => {
  test('that stays refused costs each further call one request and no reading', async () => {
    await using rig = await startRig(serviceAccepting([]));
    const codes = [];
    for (let round = 0; round < 3; round += 1) {
      codes.push((await failureOf(rig.client.listAlerts(scope, call()))).error.code);
    }
    expect(codes).toEqual(['service-denied', 'service-denied', 'service-denied']);
    expect(rig.server.requests).toHaveLength(4);
    expect(rig.credentialReads()).toBe(2);
  });

  test.each([
    { name: 'a line break inside', credential: `${canary}\n${canary}` },
    { name: 'a letter beyond ASCII', credential: `${canary}é` },
  ])('with $name is credential-missing and never reaches the wire', async ({ credential }) => {
    await using rig = await startRig(serviceAccepting([]), { credentials: [credential] });
    const { error, printed } = await failureOf(rig.client.listAlerts(scope, call()));
    expect(error.code).toBe('credential-missing');
    expect(rig.server.requests).toEqual([]);
    expect(printed + rig.logged()).not.toContain('canary');
  });
});

describe('client credentials', () => {
  test('of a host that --allowed-hosts does not include get no request, nor does the service', async () => {
    const script: Script = (_, response) => answer(response, 200, { access_token: 'x', token_type: 'bearer' });
    await using elsewhere = await startScriptedServer(script);
    const tokenURL = elsewhere.url.replace('127.0.0.1', 'localhost');
    const authentication = () => ({ kind: 'ClientCredentials', tokenURL, clientID: 'x', scopes: [] }) as const;
    const requests: unknown[] = [];
    const note: Script = (request) => void requests.push(request);
    await using rig = await startRig(note, { authentication, change: { allowedHosts: ['127.0.0.1'] } });
    await expect(rig.client.listAlerts(scope, call())).rejects.toMatchObject({
      code: 'endpoint-invalid',
      reason: 'HostNotAllowed',
      message: expect.stringContaining('localhost, the host of the token URL'),
    });
    expect([...requests, ...elsewhere.requests]).toEqual([]);
  });
});

const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8');
const caBundle = fixture('ca.crt');
const tls = { key: fixture('server.key'), cert: fixture('server.crt') };
const script = replies(200, page());

describe('over TLS', () => {
  test('a service whose authority is not in the CA bundle gets no request', async () => {
    await using rig = await startRig(script, { tls });
    const { error } = await failureOf(rig.client.listAlerts(scope, call()));
    expect(error.code).toBe('tls-failed');
    expect(rig.server.requests).toEqual([]);
  });

  test('a service with the certificate of another name gets no request', async () => {
    await using other = await startScriptedServer(script, tls);
    const endpoint = {
      baseURL: `https://127.0.0.1:${other.port}`,
      providerNamespace: 'V.A',
      apiVersion: '1',
    };
    await using rig = await startRig(script, { caBundle, change: { endpoint } });
    expect((await failureOf(rig.client.listAlerts(scope, call()))).error.code).toBe('tls-failed');
    expect(other.requests).toEqual([]);
  });

  test('TLS 1.1 is refused', async () => {
    const old = { ...tls, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const;
    await using rig = await startRig(script, { tls: old, caBundle });
    expect((await failureOf(rig.client.listAlerts(scope, call()))).error.code).toBe('tls-failed');
  });

  test.each(['', 'garbage', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'])(
    'a CA bundle that cannot be read is refused before anything is sent: %j',
    async (broken) => {
      await using rig = await startRig(script, { tls, caBundle: broken });
      expect((await failureOf(rig.client.listAlerts(scope, call()))).error.code).toBe('tls-failed');
      expect(rig.server.requests).toEqual([]);
    },
  );
});
