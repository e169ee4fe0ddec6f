// The implicit flow of section 5: what the user and the program receive, for every outcome.
import { describe, expect, test } from 'vitest';

import {
  authorizeTarget,
  clientsWith,
  fragmentOf,
  portalURI,
  publicURL,
  sendForm,
  user,
  users,
} from '../support/rigs/oauth-rig.ts';
import { startService, sharedService } from '../support/servers/alerts-service-cases.ts';
import { handClock, jsonOf, type ServiceUnderTest } from '../support/servers/alerts-service.ts';

const good = {
  response_type: 'token',
  client_id: 'portal',
  redirect_uri: portalURI,
  scope: 'user_impersonation',
  state: 'a state/with=odd & things',
};
const filledIn = { ...good, username: user.name, password: user.password, decision: 'allow' };

type Members = Record<string, string>;

const ask = (service: ServiceUnderTest, members: Members, headers = {}) =>
  service.send({
    target: `${authorizeTarget}?${new URLSearchParams(members).toString()}`,
    headers: { authorization: '', ...headers },
  });

const without = (members: Members, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));

const start = (options: Parameters<typeof startService>[0] = {}) =>
  startService({ publicURL, clients: clientsWith(), users, ...options });
const shared = sharedService({ publicURL, clients: clientsWith(), users });

describe('asking to sign in', () => {
  test('shows a form that names the client and its request, and that other pages can neither frame nor script', async () => {
    const page = await ask(await shared(), good);
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' https:; frame-ancestors 'none'; base-uri 'none'$/,
      ),
    });
    expect(page.text).toContain(
      '<b>portal</b> requests permission to list, activate and deactivate alerts in your name',
    );
    expect(page.text).toContain('<b>portal.example</b>');
    expect(page.text).not.toContain('<script');
  });

  test('shows what was sent as text, never as markup', async () => {
    const service = await shared();
    const name = '"><script>alert(1)</script>';
    const page = await sendForm(service, { ...filledIn, username: name });
    expect(page.text).not.toContain('<script>');
    expect(page.text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
    const asked = await ask(service, { ...good, state: name });
    expect(asked.text).toBe((await ask(service, good)).text);
  });

  test.each<[string, Members]>([
    ['no client', without(good, 'client_id')],
    ['an unknown client', { ...good, client_id: 'stranger' }],
    ['another redirect URI', { ...good, redirect_uri: 'https://evil.example/' }],
    ['a redirect URI of another client', { ...good, redirect_uri: 'https://tools.example/' }],
  ])('with %s sends nothing anywhere: the person reads why', async (_, members) => {
    const service = await shared();
    const form = { ...members, username: user.name, password: user.password, decision: 'allow' };
    for (const page of [await ask(service, members), await sendForm(service, form)]) {
      expect([page.status, page.headers['location']]).toEqual([400, undefined]);
      expect(page.text).toContain('<h1>Cannot sign in</h1>');
    }
  });

  test('with redirect_uri twice sends nothing anywhere', async () => {
    const twice = new URLSearchParams([...Object.entries(good), ['redirect_uri', 'https://evil.example/']]).toString();
    const page = await (await shared()).send({ target: `${authorizeTarget}?${twice}`, headers: { authorization: '' } });
    expect([page.status, page.headers['location']]).toEqual([400, undefined]);
  });

  test.each<[string, Members, string]>([
    ['no response_type', without(good, 'response_type'), 'invalid_request'],
    ['a flow that does not exist', { ...good, response_type: 'id_token' }, 'unsupported_response_type'],
    ['a scope that does not exist', { ...good, scope: 'everything' }, 'invalid_scope'],
    ['a scope that the client may not have', { ...good, client_id: 'viewer' }, 'invalid_scope'],
    ['another resource', { ...good, resource: 'https://other.example' }, 'invalid_target'],
  ])('with %s goes back to the program with the error and the state', async (_, members, error) => {
    const received = await ask(await shared(), members);
    expect(received.status).toBe(303);
    expect(String(received.headers['location']).startsWith(`${portalURI}#`)).toBe(true);
    expect(fragmentOf(received)).toEqual({
      error,
      error_description: expect.any(String),
      state: good.state,
      iss: publicURL,
    });
  });

  test('with a parameter twice goes back with the error', async () => {
    const target = `${authorizeTarget}?${new URLSearchParams(good).toString()}&scope=alerts.read`;
    const received = await (await shared()).send({ target, headers: { authorization: '' } });
    expect(fragmentOf(received)).toMatchObject({ error: 'invalid_request' });
  });

  test.each([
    ['ASCII', 'x'],
    ['two bytes each', 'é'],
  ])('takes a parameter of 2048 characters of %s, and refuses one more, also in the form', async (_, character) => {
    const service = await shared();
    const longest = { ...good, state: character.repeat(2048) };
    const longer = { ...good, state: character.repeat(2049) };
    expect([(await ask(service, longest)).status, (await ask(service, longer)).status]).toEqual([200, 400]);
    const sent = await sendForm(service, { ...filledIn, state: longest.state });
    expect(fragmentOf(sent)).toMatchObject({ state: longest.state });
    const refused = await sendForm(service, { ...filledIn, state: longer.state });
    expect([refused.status, refused.text.includes('A parameter is longer than 2048 characters.')]).toEqual([400, true]);
    expect(refused.text).not.toContain(character.repeat(2048));
    const longName = await sendForm(service, { ...filledIn, username: longer.state });
    expect([longName.status, longName.text.length < 2048]).toEqual([400, true]);
  });

  test('without a redirect URI means the only one there is, without a scope the one of section 5', async () => {
    const service = await shared();
    const page = await ask(service, without(good, 'redirect_uri', 'scope'));
    expect([page.status, page.text.includes('in your name')]).toEqual([200, true]);
    const received = await sendForm(service, without(filledIn, 'redirect_uri', 'scope', 'state'));
    expect(String(received.headers['location']).startsWith(`${portalURI}#`)).toBe(true);
    expect(fragmentOf(received)).toMatchObject({ scope: 'user_impersonation' });
    expect(fragmentOf(received)).not.toHaveProperty('state');
  });
});

describe('signing in', () => {
  test('sends a token to the program, in the fragment, with the state as it was', async () => {
    const received = await sendForm(await shared(), filledIn);
    expect(received.status).toBe(303);
    expect(received.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    expect(String(received.headers['location']).startsWith(`${portalURI}#`)).toBe(true);
    expect(fragmentOf(received)).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: '3600',
      scope: 'user_impersonation',
      state: good.state,
      iss: publicURL,
    });
  });

  test('gives a person no more than they may have', async () => {
    const service = await shared();
    const bob = { ...filledIn, username: 'bob', password: 'b0b' };
    expect(fragmentOf(await sendForm(service, bob))).toMatchObject({ error: 'access_denied', state: good.state });
    const both = await sendForm(service, { ...bob, scope: 'alerts.read user_impersonation' });
    expect(fragmentOf(both)).toMatchObject({ scope: 'alerts.read', access_token: expect.any(String) });
  });

  test.each([
    ['a wrong password', { password: 'wrong' }],
    ['an unknown name', { username: 'eve' }],
  ])('with %s shows the form again, and does not say which of them it was', async (_, members) => {
    const page = await sendForm(await shared(), { ...filledIn, ...members });
    expect([page.status, page.headers['location']]).toEqual([401, undefined]);
    expect(page.text).toContain('Wrong user or password.');
    expect(page.text).not.toContain(user.password);
  });

  test('with too many wrong passwords has to wait', async () => {
    const clock = handClock();
    const service = await start({ clock });
    for (let guess = 0; guess < 10; guess++) await sendForm(service, { ...filledIn, password: String(guess) });
    const page = await sendForm(service, filledIn);
    expect([page.status, page.headers['retry-after']]).toEqual([429, '60']);
    clock.advance(60_000);
    expect((await sendForm(service, filledIn)).status).toBe(303);
  });

  test('that is cancelled reports that to the program', async () => {
    const received = await sendForm(await shared(), { ...filledIn, decision: 'deny' });
    expect(fragmentOf(received)).toMatchObject({ error: 'access_denied', state: good.state });
  });

  test.each([
    ['a form on another site', { 'sec-fetch-site': 'cross-site' }],
    ['another origin, in a browser that says no more', { origin: 'https://evil.example' }],
    ['nowhere', { origin: 'null' }],
  ])('from %s is refused', async (_, headers) => {
    const page = await sendForm(await shared(), filledIn, headers);
    expect([page.status, page.headers['location']]).toEqual([403, undefined]);
  });

  test.each<[string, (origin: string) => Record<string, string>]>([
    [
      'the page of this service, in a browser that says so',
      () => ({ 'sec-fetch-site': 'same-origin', origin: 'null' }),
    ],
    ['the public URL, although a proxy addresses another host', () => ({ origin: publicURL })],
    ['the host that the browser addressed', (origin) => ({ origin })],
    ['the host with its implied port', () => ({ host: 'alerts.example:443', origin: 'https://alerts.example' })],
  ])('from %s is accepted', async (_, headersOf) => {
    const service = await shared();
    expect((await sendForm(service, filledIn, headersOf(service.origin))).status).toBe(303);
  });
});

test('the metadata names all endpoints under the public address', async () => {
  const service = await shared();
  const received = await service.send({
    target: '/.well-known/oauth-authorization-server',
    headers: { authorization: '' },
  });
  expect(received.status).toBe(200);
  expect(jsonOf(received)).toEqual({
    issuer: publicURL,
    authorization_endpoint: `${publicURL}/common/oauth2/authorize`,
    token_endpoint: `${publicURL}/common/oauth2/token`,
    jwks_uri: `${publicURL}/common/oauth2/keys`,
    scopes_supported: ['user_impersonation', 'alerts.read'],
    response_types_supported: ['code', 'token'],
    response_modes_supported: ['query', 'fragment'],
    authorization_response_iss_parameter_supported: true,
    grant_types_supported: [
      'implicit',
      'client_credentials',
      'urn:ietf:params:oauth:grant-type:jwt-bearer',
      'authorization_code',
    ],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    token_endpoint_auth_signing_alg_values_supported: expect.arrayContaining(['ES256', 'RS256']),
  });
});
