// How the client gets its token and what it does when the service refuses it, over sockets.
import { describe, expect, test } from 'vitest';

import type { Authentication } from '../../src/operator/alert-client/connect.ts';
import type { ErrorCode } from '../support/builders/errors.ts';
import { alertDocument, call, canary, failureOf, scope, startRig } from '../support/rigs/alert-client-rig.ts';
import { answer, errorBody, type Script, startScriptedServer } from '../support/servers/scripted-server.ts';

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
  const failures: readonly { name: string; endpoint: Script; code?: ErrorCode; facts?: object }[] = [
    {
      name: 'a refused client with a challenge',
      endpoint: (_, response) => answer(response, 401, { error: 'x' }, { 'www-authenticate': 'Basic realm="x"' }),
      facts: { status: 401 },
    },
    { name: 'no token', endpoint: (_, response) => answer(response, 200, { token_type: 'Bearer', note: issued }) },
    { name: 'a token bound to a key', endpoint: (_, response) => answer(response, 200, grant({ token_type: 'dpop' })) },
    { name: 'an absurd life', endpoint: (_, response) => answer(response, 200, grant({ expires_in: 'soon' })) },
    { name: 'a reset', endpoint: (_, response) => void response.socket?.resetAndDestroy() },
  ];
  test.each(failures)('fail with token-endpoint-failed for $name', async ({ endpoint, facts = {} }) => {
    await using rig = await startRig(withTokenEndpoint(endpoint), { authentication });
    const { error, printed } = await failureOf(rig.client.listAlerts(scope, call()));
    expect(error).toMatchObject({ code: 'token-endpoint-failed', ...facts });
    expect(rig.server.requests).toHaveLength(1);
    expect(printed + rig.logged()).not.toContain('canary');
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
