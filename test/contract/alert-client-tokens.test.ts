// How the client gets its token and what it does when the service refuses it, over sockets.
import { describe, expect, test } from 'vitest';

import type { Authentication } from '../../src/operator/alert-client/connect.ts';
import type { ErrorCode } from '../support/builders/errors.ts';
import { alertDocument, call, canary, failureOf, scope, startRig } from '../support/rigs/alert-client-rig.ts';
import {
  answer,
  errorBody,
  type ReceivedRequest,
  type Script,
  startScriptedServer,
} from '../support/servers/scripted-server.ts';

const list = { value: [alertDocument('A')] };
const issued = 'canary-issued-77aa';

/** Accepts the tokens of `good` only. */
function serviceAccepting(good: readonly string[]): Script {
  return ({ headers }, response) => {
    if (good.includes(headers.authorization?.slice('Bearer '.length) ?? '')) answer(response, 200, list);
    else answer(response, 401, errorBody('InvalidToken', 'no'));
  };
}

describe('a bearer token from a Secret', () => {
  test('is read again after a 401, and the request is repeated once', async () => {
    await using rig = await startRig(serviceAccepting(['new']), { credentials: ['old', 'new'] });
    expect((await rig.client.listAlerts(scope, call())).alerts).toHaveLength(1);
    expect(rig.server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new']);
    expect(rig.samples.map(({ outcome }) => outcome)).toEqual(['service-denied', 'ok']);
  });

  test('is read once for all callers', async () => {
    await using rig = await startRig(serviceAccepting([canary]));
    await Promise.all(Array.from({ length: 20 }, () => rig.client.listAlerts(scope, call())));
    expect(rig.credentialReads()).toBe(1);
  });

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

  test('loses the line break at its end', async () => {
    await using rig = await startRig(serviceAccepting([canary]), { credentials: [` ${canary}\r\n`] });
    expect((await rig.client.listAlerts(scope, call())).alerts).toHaveLength(1);
  });

  test.each([
    { name: 'a line break inside', credential: `${canary}\n${canary}` },
    { name: 'a space inside', credential: `Bearer ${canary}` },
    { name: 'a letter beyond ASCII', credential: `${canary}é` },
    { name: 'nothing in it', credential: '\n' },
    { name: 'more than a header carries', credential: canary.repeat(2000) },
  ])('with $name is credential-missing and never reaches the wire', async ({ credential }) => {
    await using rig = await startRig(serviceAccepting([]), { credentials: [credential] });
    const { error, printed } = await failureOf(rig.client.listAlerts(scope, call()));
    expect(error.code).toBe('credential-missing');
    expect(rig.server.requests).toEqual([]);
    expect(printed + rig.logged()).not.toContain('canary');
  });
});

const authentication = (url: string): Authentication => ({
  kind: 'ClientCredentials',
  tokenURL: `${url}/token?tenant=1`,
  clientID: 'operator:1',
  scopes: ['alerts.read', 'alerts.write'],
});

function withTokenEndpoint(endpoint: Script): Script {
  return (request, response, index) => {
    if (request.url.startsWith('/token')) return endpoint(request, response, index);
    return serviceAccepting([issued])(request, response, index);
  };
}

const grant = (change: object = {}) => ({ access_token: issued, token_type: 'Bearer', expires_in: 3600, ...change });

describe('client credentials', () => {
  test('are sent as RFC 6749 has it, and the token is used for every call', async () => {
    await using rig = await startRig(
      withTokenEndpoint((_, response) => answer(response, 200, grant())),
      { authentication, credentials: ['pa:ss wörd\n'] },
    );
    await rig.client.listAlerts(scope, call());
    await rig.client.listAlerts(scope, call());
    const [token, ...others] = rig.server.requests as [ReceivedRequest, ...ReceivedRequest[]];
    expect([token.method, token.url, others.length]).toEqual(['POST', '/token?tenant=1', 2]);
    expect(Object.fromEntries(new URLSearchParams(token.body))).toEqual({
      grant_type: 'client_credentials',
      scope: 'alerts.read alerts.write',
    });
    const [kind, credentials = ''] = token.headers.authorization?.split(' ') ?? [];
    const deps = Buffer.from(credentials, 'base64').toString().split(':');
    expect([kind, ...deps.map((part) => decodeURIComponent(part.replaceAll('+', ' ')))]).toEqual([
      'Basic',
      'operator:1',
      'pa:ss wörd',
    ]);
    expect(token.headers).toMatchObject({ 'accept-encoding': 'identity', accept: 'application/json' });
  });

  test('are used again when the service refuses the token', async () => {
    let round = 0;
    await using rig = await startRig(
      withTokenEndpoint((_, response) => {
        round += 1;
        answer(response, 200, grant(round === 1 ? { access_token: 'stale' } : {}));
      }),
      { authentication },
    );
    expect((await rig.client.listAlerts(scope, call())).alerts).toHaveLength(1);
    expect(rig.credentialReads()).toBe(2);
  });

  const failures: readonly { name: string; endpoint: Script; code?: ErrorCode; facts?: object }[] = [
    {
      name: 'a refused client',
      endpoint: (_, response) =>
        answer(response, 400, { error: 'invalid_client', error_description: `AADSTS7000215: bad ${canary}` }),
      facts: { status: 400, serviceCode: 'invalid_client', detail: 'AADSTS7000215: bad [redacted]' },
    },
    {
      name: 'a refused client with a challenge',
      endpoint: (_, response) => answer(response, 401, { error: 'x' }, { 'www-authenticate': 'Basic realm="x"' }),
      facts: { status: 401 },
    },
    {
      name: 'a busy endpoint',
      endpoint: (_, response) => answer(response, 429, '', { 'retry-after': '9' }),
      facts: { status: 429, retryAfterMs: 9000 },
    },
    { name: 'a redirect', endpoint: (_, response) => answer(response, 302, '', { location: '/service' }) },
    { name: 'HTML', endpoint: (_, response) => answer(response, 200, '<html>') },
    { name: 'no token', endpoint: (_, response) => answer(response, 200, { token_type: 'Bearer', note: issued }) },
    {
      name: 'a token that no header can carry',
      endpoint: (_, response) => answer(response, 200, grant({ access_token: `${issued}\r\nx: y` })),
    },
    { name: 'another kind of token', endpoint: (_, response) => answer(response, 200, grant({ token_type: 'mac' })) },
    { name: 'a token bound to a key', endpoint: (_, response) => answer(response, 200, grant({ token_type: 'dpop' })) },
    { name: 'an absurd life', endpoint: (_, response) => answer(response, 200, grant({ expires_in: 'soon' })) },
    { name: 'a huge answer', endpoint: (_, response) => answer(response, 200, `"${'x'.repeat(100_000)}"`) },
    { name: 'a status that HTTP does not have', endpoint: (_, response) => answer(response, 799, grant()) },
    { name: 'a reset', endpoint: (_, response) => void response.socket?.resetAndDestroy() },
  ];
  test.each(failures)('fail with token-endpoint-failed for $name', async ({ endpoint, facts = {} }) => {
    await using rig = await startRig(withTokenEndpoint(endpoint), { authentication });
    const { error, printed } = await failureOf(rig.client.listAlerts(scope, call()));
    expect(error).toMatchObject({ code: 'token-endpoint-failed', ...facts });
    expect(rig.server.requests).toHaveLength(1);
    expect(printed + rig.logged()).not.toContain('canary');
  });

  test('do not ask a broken endpoint once per caller', async () => {
    await using rig = await startRig(
      withTokenEndpoint((_, response) => answer(response, 500)),
      { authentication },
    );
    const failures = await Promise.all(
      Array.from({ length: 20 }, async () => (await failureOf(rig.client.listAlerts(scope, call()))).error),
    );
    failures.push((await failureOf(rig.client.listAlerts(scope, call()))).error);
    expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['token-endpoint-failed']));
    expect(rig.server.requests).toHaveLength(1);
  });

  test('need https unless plain http is allowed', async () => {
    const plain = { kind: 'ClientCredentials', tokenURL: 'http://id.example/', clientID: 'x', scopes: [] } as const;
    const endpoint = { baseURL: 'https://service.example', providerNamespace: 'V.A', apiVersion: '1' };
    const change = { endpoint, allowHttp: false };
    await using rig = await startRig(() => undefined, { authentication: () => plain, change });
    await expect(rig.client.listAlerts(scope, call())).rejects.toMatchObject({
      code: 'endpoint-invalid',
      message: expect.stringContaining('--allow-http'),
    });
  });

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
