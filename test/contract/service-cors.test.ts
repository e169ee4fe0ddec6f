// Web pages of other origins (CORS): pages of registered origins can use both operations and the endpoints for programs; pages of any
// other origin get no header that would let them read a response.
import { describe, expect, test } from 'vitest';

import { authorizeTarget, clientsWith, portalURI, publicURL, users } from '../support/rigs/oauth-rig.ts';
import { answerTo } from '../support/rigs/raw-http.ts';
import { alertA, listOne, seed, sharedService, turnOff } from '../support/servers/alerts-service-cases.ts';
import {
  apiVersion,
  errorOf,
  listPath,
  startOverSocket,
  staticToken,
  type Received,
} from '../support/servers/alerts-service.ts';

const page = 'https://app.example';
const portal = new URL(portalURI).origin;
const clients = [...clientsWith(), { id: 'app', redirectURIs: ['https://back.example/'], origins: [page] }];
const corsHeaders = (received: Received) =>
  Object.fromEntries(Object.entries(received.headers).filter(([name]) => name.startsWith('access-control-')));

const targets = [
  ['a list', listOne, 'GET'],
  ['an update', alertA, 'PATCH'],
  ['the token endpoint', '/common/oauth2/token', 'POST'],
  ['the metadata', '/.well-known/oauth-authorization-server', 'GET'],
  ['the keys', '/common/oauth2/keys', 'GET'],
  ['the description', '/openapi.json', 'GET'],
] as const;

const foreign = [
  ['another origin', 'https://evil.example'],
  ['capital letters, which no browser sends', 'https://APP.example'],
  ['an opaque origin', 'null'],
  ['an origin of a redirect URI whose client lists its origins', 'https://back.example'],
] as const;

const readable = {
  'access-control-allow-origin': page,
  'access-control-expose-headers': 'retry-after, www-authenticate, x-request-id',
};

const start = sharedService({ publicURL, clients, users });

describe('a preflight request', () => {
  test.each(targets)('of a registered origin for %s is allowed', async (_, target, method) => {
    const service = await start();
    const headers = {
      origin: page,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type,x-client-request-id',
    };
    const received = await service.send({ method: 'OPTIONS', target, headers: { ...headers, authorization: '' } });
    expect([received.status, received.headers['vary']]).toEqual([204, 'Origin']);
    expect(corsHeaders(received)).toEqual({
      'access-control-allow-origin': page,
      'access-control-allow-methods': expect.stringContaining(method),
      'access-control-allow-headers': headers['access-control-request-headers'],
      'access-control-max-age': '600',
    });
  });

  test.each([
    ['a path that no operation has', '/nothing', '404 RouteNotFound'],
    ['an invalid path', `//subscriptions${listPath}?${apiVersion}`, '400 InvalidPath'],
  ])('of a registered origin for %s is allowed, so that the page can read the error', async (_, target, error) => {
    const service = await start();
    const headers = { origin: page, 'access-control-request-method': 'PUT', authorization: '' };
    const received = await service.send({ method: 'OPTIONS', target, headers });
    expect([received.status, received.text]).toEqual([204, '']);
    expect(corsHeaders(received)).toEqual({
      'access-control-allow-origin': page,
      'access-control-allow-methods': 'PUT',
      'access-control-max-age': '600',
    });
    const refused = await service.send({ method: 'PUT', target, headers: { origin: page } });
    expect([errorOf(refused), corsHeaders(refused)]).toEqual([error, readable]);
    const foreign = await service.send({ method: 'OPTIONS', target, headers: { ...headers, origin: 'https://x.y' } });
    expect([errorOf(foreign), corsHeaders(foreign)]).toEqual([error, {}]);
  });

  test.each(['a:b', 'x'.repeat(1025)])(
    'with header names that are no list, or very long, does not get them back: %s',
    async (names) => {
      const headers = { origin: page, 'access-control-request-method': 'GET', 'access-control-request-headers': names };
      const received = await (await start()).send({ method: 'OPTIONS', target: listOne, headers });
      expect(corsHeaders(received)).not.toHaveProperty('access-control-allow-headers');
    },
  );
});

test('a page of a registered origin can read every response, refusals included, never with credentials', async () => {
  const service = await start();
  const responses = [
    await service.send({ target: listOne, headers: { origin: page } }),
    await service.send({ ...turnOff, headers: { ...turnOff.headers, origin: page } }),
    await service.send({ target: listOne, headers: { origin: page, authorization: '' } }),
    await service.send({ target: '/nothing', headers: { origin: page } }),
    await service.send({ method: 'POST', target: '/common/oauth2/token', headers: { origin: page } }),
    await service.send({ target: '/common/oauth2/keys', headers: { origin: page } }),
  ];
  expect(responses.map(({ status }) => status)).toEqual([200, 204, 401, 404, 400, 200]);
  for (const received of responses) {
    expect([received.headers['vary'], corsHeaders(received)]).toEqual(['Origin', readable]);
  }
});

test('a page on the origin of an https redirect URI can read responses', async () => {
  const received = await (await start()).send({ target: listOne, headers: { origin: portal } });
  expect(corsHeaders(received)).toEqual({ ...readable, 'access-control-allow-origin': portal });
});

test.each(foreign)(
  'a page of %s can read no response, and its preflight request gets no header of CORS',
  async (_, origin) => {
    const service = await start();
    const received = await service.send({ target: listOne, headers: { origin } });
    expect([received.status, received.headers['vary'], corsHeaders(received)]).toEqual([200, 'Origin', {}]);
    const headers = { origin, 'access-control-request-method': 'PATCH', authorization: '' };
    const preflight = await service.send({ method: 'OPTIONS', target: alertA, headers });
    expect([preflight.status, preflight.headers['vary'], corsHeaders(preflight)]).toEqual([204, 'Origin', {}]);
  },
);

test('the sign-in page has no header of CORS: browsers go there, and no page reads it', async () => {
  const received = await (
    await start()
  ).send({
    target: `${authorizeTarget}?client_id=portal&response_type=token`,
    headers: { origin: page, authorization: '' },
  });
  expect([received.headers['vary'], corsHeaders(received)]).toEqual([undefined, {}]);
});

test('a page can read that the body of its request is not valid HTTP', async () => {
  const service = await startOverSocket({ seed, clients });
  const head = `PATCH ${alertA} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${staticToken}\r\nOrigin: ${page}\r\n`;
  const type = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
  const answer = await answerTo(service.origin, `${head}${type}\r\nzz\r\n`);
  await service.stop();
  expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*"MalformedRequest"/);
  expect(answer).toContain(`\r\naccess-control-allow-origin: ${page}\r\n`);
  expect(answer).toContain('\r\nvary: Origin\r\n');
});
