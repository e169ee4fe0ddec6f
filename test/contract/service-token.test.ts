// The token endpoint (RFC 6749 section 4.4) and the use of its tokens.

import { expect, test } from 'vitest';

import { SecretText } from '../../src/lib/secret-text.ts';
import { startService, sharedService } from '../support/servers/alerts-service-cases.ts';
import { handClock, jsonOf, type ServiceUnderTest } from '../support/servers/alerts-service.ts';

const id = 'operator';
const secret = 's3cret/with:odd +chars%';
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const encode = (members: Record<string, string>) => new URLSearchParams(members).toString();
const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
const formEncoded = (text: string) => encode({ x: text }).slice(2);
const goodBody = encode({ grant_type: 'client_credentials', client_id: id, client_secret: secret });

function askToken(service: ServiceUnderTest, body: string, headers: Record<string, string> = {}) {
  const all = { ...form, authorization: '', ...headers };
  return service.send({ method: 'POST', target: '/common/oauth2/token', headers: all, body });
}

const shared = sharedService();
test('gives a bearer token that must not be cached', async () => {
  const service = await startService();
  const received = await askToken(service, goodBody);
  expect(received.status).toBe(200);
  expect(received.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
  expect(jsonOf(received)).toEqual({
    access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'user_impersonation',
  });
});

const others = { 'the+job': 'a+b%20c/d', job: 'a b', odd: '50%' };
const sharedByMany = sharedService({
  clients: Object.entries({ [id]: secret, ...others }).map(([each, text]) => ({
    id: each,
    secret: new SecretText(text),
  })),
});
const grant = 'grant_type=client_credentials';

test.each([
  ['in the body', goodBody, {}],
  [
    'by Basic with the id in the body too',
    `${grant}&client_id=${id}`,
    { authorization: basic(id, formEncoded(secret)) },
  ],
  ['by Basic as it is, like the id', grant, { authorization: basic('the+job', 'a+b%20c/d') }],
  ['by Basic with plus signs for spaces', grant, { authorization: basic('job', 'a+b') }],
  ['by Basic as it is, which is no encoding', grant, { authorization: basic('odd', '50%') }],
])('knows a client that shows its secret %s', async (_, body, headers) => {
  expect((await askToken(await sharedByMany(), body, headers)).status).toBe(200);
});

test('gives a token for its own address as the resource, however it is spelled, and for no other', async () => {
  const service = await startService({ publicURL: 'https://alerts.example' });
  const ask = async (resource: string) => {
    const received = await askToken(service, `${goodBody}&${encode({ resource })}`);
    return received.status === 200 ? 200 : (jsonOf(received) as { error: string }).error;
  };
  for (const own of ['https://alerts.example', 'https://alerts.example/', 'https://Alerts.Example:443/']) {
    expect([own, await ask(own)]).toEqual([own, 200]);
  }
  const others = ['https://alerts.example/x', 'http://alerts.example/', 'https://alerts.example:8443', 'alerts'];
  for (const other of [...others, 'https://alerts.example/#', 'https://a@alerts.example/']) {
    expect([other, await ask(other)]).toEqual([other, 'invalid_target']);
  }
});

test.each([
  ['no grant type', encode({ client_id: id, client_secret: secret }), {}, 400, 'invalid_request'],
  ['another grant type', goodBody.replace('client_credentials', 'password'), {}, 400, 'unsupported_grant_type'],
  ['a repeated parameter', `${goodBody}&grant_type=client_credentials`, {}, 400, 'invalid_request'],
  ['a secret sent twice', goodBody, { authorization: basic(id, formEncoded(secret)) }, 400, 'invalid_request'],
  [
    'two client ids',
    'grant_type=client_credentials&client_id=other',
    { authorization: basic(id, formEncoded(secret)) },
    400,
    'invalid_request',
  ],
  ['a wrong secret', goodBody.replace('s3cret', 'secret'), {}, 401, 'invalid_client'],
  ['an unknown client', goodBody.replace('operator', 'unknown'), {}, 401, 'invalid_client'],
  ['a client without a secret', 'grant_type=client_credentials&client_id=operator', {}, 401, 'invalid_client'],
  [
    'an empty secret of an unknown client',
    'grant_type=client_credentials',
    { authorization: basic('unknown', '') },
    401,
    'invalid_client',
  ],
])('refuses %s', async (_, body, headers, status, error) => {
  const received = await askToken(await shared(), body, headers);
  expect(received.status).toBe(status);
  expect(received.headers['cache-control']).toBe('no-store');
  expect(jsonOf(received)).toEqual({ error, error_description: expect.any(String) });
  const needsChallenge = status === 401 && 'authorization' in headers;
  expect(received.headers['www-authenticate']).toBe(needsChallenge ? 'Basic realm="rolealerts"' : undefined);
});

test('lets a client that shows wrong secrets wait, and after a minute go on', async () => {
  const clock = handClock();
  const service = await startService({ clock });
  for (let guess = 0; guess < 100; guess++) await askToken(service, goodBody.replace('s3cret', `guess${guess}`));
  const received = await askToken(service, goodBody);
  expect([received.status, received.headers['retry-after'], jsonOf(received)]).toEqual([
    429,
    '60',
    { error: 'temporarily_unavailable', error_description: expect.any(String) },
  ]);
  clock.advance(60_000);
  expect((await askToken(service, goodBody)).status).toBe(200);
});

test('gives a client no more tokens than it may send requests', async () => {
  const clock = handClock();
  const service = await startService({ clock, requestsPerSecond: 1 });
  for (let asked = 0; asked < 10; asked++) expect((await askToken(service, goodBody)).status).toBe(200);
  const received = await askToken(service, goodBody);
  expect([received.status, received.headers['retry-after']]).toEqual([429, '1']);
  clock.advance(1000);
  expect((await askToken(service, goodBody)).status).toBe(200);
});
