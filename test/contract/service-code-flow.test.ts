// The code flow with PKCE: what a client receives, and what a thief of a code does not.
import { createHash } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { SecretText } from '../../src/lib/secret-text.ts';
import {
  askToken,
  authorizeTarget,
  clientsWith,
  portalURI,
  publicURL,
  sendForm,
  user,
  users,
} from '../support/rigs/oauth-rig.ts';
import { startService, json, sharedService, turnOff } from '../support/servers/alerts-service-cases.ts';
import { handClock, jsonOf, type Received, type ServiceUnderTest } from '../support/servers/alerts-service.ts';

const verifier = 'a-verifier-of-43-characters-0123456789-abcde';
const challenge = createHash('sha256').update(verifier).digest('base64url');
const asked = {
  response_type: 'code',
  client_id: 'portal',
  redirect_uri: portalURI,
  state: 'a state/with=odd & things',
  code_challenge: challenge,
  code_challenge_method: 'S256',
};
const filledIn = { ...asked, username: user.name, password: user.password, decision: 'allow' };
const secretClient = { id: 'web', secret: new SecretText('w3b'), redirectURIs: ['https://web.example/'] };
const clients = [...clientsWith(), secretClient];

type Members = Record<string, string>;

interface Tokens {
  readonly access_token: string;
  readonly scope: string;
}

function queryOf(received: Received): Record<string, string> {
  return Object.fromEntries(new URL(String(received.headers['location'])).searchParams);
}

async function codeOf(service: ServiceUnderTest, more: Members = {}): Promise<string> {
  return queryOf(await sendForm(service, { ...filledIn, ...more }))['code'] ?? '';
}

const redeem = (service: ServiceUnderTest, code: string, more: Members = {}) =>
  askToken(service, {
    grant_type: 'authorization_code',
    client_id: 'portal',
    redirect_uri: portalURI,
    code_verifier: verifier,
    code,
    ...more,
  });
const errorCodeOf = (received: Received) => [received.status, (jsonOf(received) as { error?: string }).error];
const without = (members: Members, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));

const start = (options: Parameters<typeof startService>[0] = {}) =>
  startService({ publicURL, clients, users, ...options });
const shared = sharedService({ publicURL, clients, users });

describe('the code flow', () => {
  test('gives a code in the query, and for the code tokens that work in the name of the user', async () => {
    const service = await shared();
    const received = await sendForm(service, filledIn);
    expect(received.status).toBe(303);
    expect(received.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    expect(String(received.headers['location']).startsWith(`${portalURI}&code=`)).toBe(true);
    expect(queryOf(received)).toEqual({
      app: '1',
      code: expect.stringMatching(/^[\w-]{43}$/),
      state: asked.state,
      iss: publicURL,
    });
    const answer = await redeem(service, queryOf(received)['code'] ?? '');
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    const tokens = jsonOf(answer) as Tokens;
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'user_impersonation',
    });
    const headers = { ...json, authorization: `Bearer ${tokens.access_token}` };
    expect((await service.send({ ...turnOff, headers })).status).toBe(204);
    expect((await service.alerts.readAlert('subscriptions/one', 'A'))?.['systemData']).toMatchObject({
      lastModifiedBy: user.name,
      lastModifiedByType: 'User',
    });
  });

  test('gives the code in the fragment where the request asks for that', async () => {
    const received = await sendForm(await shared(), { ...filledIn, response_mode: 'fragment' });
    expect(String(received.headers['location']).startsWith(`${portalURI}#code=`)).toBe(true);
  });

  test.each<[string, Members]>([
    ['no challenge', without(asked, 'code_challenge')],
    ['a challenge that is no hash', { ...asked, code_challenge: verifier }],
    ['the method plain', { ...asked, code_challenge_method: 'plain' }],
    ['a mode that would post the code', { ...asked, response_mode: 'form_post' }],
  ])('with %s goes back to the program with an error, in the query', async (_, members) => {
    const target = `${authorizeTarget}?${new URLSearchParams(members).toString()}`;
    const received = await (await shared()).send({ target, headers: { authorization: '' } });
    expect([received.status, queryOf(received)]).toEqual([
      303,
      {
        app: '1',
        error: 'invalid_request',
        error_description: expect.any(String),
        state: asked.state,
        iss: publicURL,
      },
    ]);
  });

  test.each<[string, Members]>([
    ['another verifier', { code_verifier: verifier.replace('a', 'b') }],
    ['the challenge for the verifier', { code_verifier: challenge }],
    ['another redirect URI', { redirect_uri: 'https://tools.example/' }],
  ])('refuses %s', async (_, more) => {
    const service = await shared();
    expect(errorCodeOf(await redeem(service, await codeOf(service), more))).toEqual([400, 'invalid_grant']);
  });

  test('refuses the code of another client, which the right client can still redeem', async () => {
    const service = await shared();
    const code = await codeOf(service);
    expect(errorCodeOf(await redeem(service, code, { client_id: 'tools' }))).toEqual([400, 'invalid_grant']);
    expect((await redeem(service, code)).status).toBe(200);
  });

  test('lets a wrong verifier use up the code', async () => {
    const service = await shared();
    const code = await codeOf(service);
    await redeem(service, code, { code_verifier: verifier.replace('a', 'b') });
    expect(errorCodeOf(await redeem(service, code))).toEqual([400, 'invalid_grant']);
  });

  test('gives codes that work for a minute', async () => {
    const clock = handClock();
    const service = await start({ clock });
    const [inTime, late] = [await codeOf(service), await codeOf(service)];
    clock.advance(59_999);
    expect((await redeem(service, inTime)).status).toBe(200);
    clock.advance(1);
    expect(errorCodeOf(await redeem(service, late))).toEqual([400, 'invalid_grant']);
  });

  test('gives clients that redeem one code at once one token', async () => {
    const service = await shared();
    const code = await codeOf(service);
    const answers = await Promise.all([redeem(service, code), redeem(service, code), redeem(service, code)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
  });

  test('needs the login of a client that has a secret', async () => {
    const service = await shared();
    const web = { client_id: 'web', redirect_uri: 'https://web.example/' };
    const code = await codeOf(service, web);
    expect(errorCodeOf(await redeem(service, code, web))).toEqual([401, 'invalid_client']);
    expect(errorCodeOf(await redeem(service, code, { ...web, client_secret: 'x' }))).toEqual([401, 'invalid_client']);
    expect((await redeem(service, code, { ...web, client_secret: 'w3b' })).status).toBe(200);
  });

  test.each<[string, Members, number, string]>([
    ['an unknown client', { client_id: 'stranger' }, 401, 'invalid_client'],
    ['another resource', { resource: 'https://other.example' }, 400, 'invalid_target'],
  ])('answers %s with the error of RFC 6749', async (_, more, status, error) => {
    const service = await shared();
    expect(errorCodeOf(await redeem(service, await codeOf(service), more))).toEqual([status, error]);
  });
});
