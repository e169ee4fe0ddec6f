// The code flow with PKCE, refresh tokens and revocation: what a client receives, and what a thief of a code or a token does not.
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, test } from 'vitest';

import { SecretText } from '../../src/lib/secret-text.ts';
import { hashNewSecret, parseHashedSecret } from '../../src/service/oauth/hashed-secret.ts';
import type { ServiceUser } from '../../src/service/oauth/registrations.ts';
import {
  askToken,
  authorizeTarget,
  clientsWith,
  operator,
  portalURI,
  publicURL,
  sendForm,
  tokenOf,
  user,
  users,
} from '../support/rigs/oauth-rig.ts';
import { describeService, json, listOne, turnOff } from '../support/servers/alerts-service-cases.ts';
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
  readonly refresh_token: string;
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
const refresh = (service: ServiceUnderTest, token: string, more: Members = {}) =>
  askToken(service, { grant_type: 'refresh_token', client_id: 'portal', refresh_token: token, ...more });
const signIn = async (service: ServiceUnderTest, more: Members = {}) =>
  jsonOf(await redeem(service, await codeOf(service, more))) as Tokens;
const errorCodeOf = (received: Received) => [received.status, (jsonOf(received) as { error?: string }).error];
const listWith = async (service: ServiceUnderTest, token: string) =>
  (await service.send({ target: listOne, headers: { authorization: `Bearer ${token}` } })).status;

function revoke(service: ServiceUnderTest, members: Members): Promise<Received> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: '' };
  const body = new URLSearchParams(members).toString();
  return service.send({ method: 'POST', target: '/common/oauth2/revoke', headers, body });
}

const without = (members: Members, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

describeService((started) => {
  const start = (options: Parameters<typeof started>[0] = {}) => started({ publicURL, clients, users, ...options });

  describe('the code flow', () => {
    test('gives a code in the query, and for the code tokens that work in the name of the user', async () => {
      const service = await start();
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
        refresh_token: expect.stringMatching(/^[\w-]{43}$/),
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
      const received = await sendForm(await start(), { ...filledIn, response_mode: 'fragment' });
      expect(String(received.headers['location']).startsWith(`${portalURI}#code=`)).toBe(true);
    });

    test.each<[string, Members]>([
      ['no challenge', without(asked, 'code_challenge')],
      ['a challenge that is no hash', { ...asked, code_challenge: verifier }],
      ['the method plain', { ...asked, code_challenge_method: 'plain' }],
      ['no method, which means plain', without(asked, 'code_challenge_method')],
      ['a mode that would post the code', { ...asked, response_mode: 'form_post' }],
    ])('with %s goes back to the program with an error, in the query', async (_, members) => {
      const target = `${authorizeTarget}?${new URLSearchParams(members).toString()}`;
      const received = await (await start()).send({ target, headers: { authorization: '' } });
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

    test('that is cancelled reports that in the query', async () => {
      const received = await sendForm(await start(), { ...filledIn, decision: 'deny' });
      expect(queryOf(received)).toMatchObject({ error: 'access_denied', state: asked.state });
    });

    test.each<[string, Members]>([
      ['another verifier', { code_verifier: verifier.replace('a', 'b') }],
      ['no verifier', { code_verifier: '' }],
      ['the challenge for the verifier', { code_verifier: challenge }],
      ['another redirect URI', { redirect_uri: 'https://tools.example/' }],
      ['no redirect URI, though the request had one', { redirect_uri: '' }],
      ['another code', { code: 'x'.repeat(43) }],
    ])('refuses %s', async (_, more) => {
      const service = await start();
      expect(errorCodeOf(await redeem(service, await codeOf(service), more))).toEqual([400, 'invalid_grant']);
    });

    test('refuses the code of another client, which the right client can still redeem', async () => {
      const service = await start();
      const code = await codeOf(service);
      expect(errorCodeOf(await redeem(service, code, { client_id: 'tools' }))).toEqual([400, 'invalid_grant']);
      expect((await redeem(service, code)).status).toBe(200);
    });

    test('lets a wrong verifier use up the code', async () => {
      const service = await start();
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

    test('lets a second use of a code end all tokens that were made of it, and no other', async () => {
      const service = await start();
      const code = await codeOf(service);
      const stolen = jsonOf(await redeem(service, code)) as Tokens;
      const other = await signIn(service);
      expect(await listWith(service, stolen.access_token)).toBe(200);
      expect(errorCodeOf(await redeem(service, code))).toEqual([400, 'invalid_grant']);
      expect(await listWith(service, stolen.access_token)).toBe(401);
      expect(errorCodeOf(await refresh(service, stolen.refresh_token))).toEqual([400, 'invalid_grant']);
      expect(await listWith(service, other.access_token)).toBe(200);
      expect((await refresh(service, other.refresh_token)).status).toBe(200);
    });

    test('gives two clients that redeem one code at once at most one token that works', async () => {
      const service = await start();
      const code = await codeOf(service);
      const answers = await Promise.all([redeem(service, code), redeem(service, code), redeem(service, code)]);
      const tokens = answers.filter(({ status }) => status === 200).map((answer) => jsonOf(answer) as Tokens);
      expect(tokens.length).toBeLessThanOrEqual(1);
      for (const { access_token } of tokens) expect(await listWith(service, access_token)).toBe(401);
    });

    test('needs the login of a client that has a secret', async () => {
      const service = await start();
      const web = { client_id: 'web', redirect_uri: 'https://web.example/' };
      const code = await codeOf(service, web);
      expect(errorCodeOf(await redeem(service, code, web))).toEqual([401, 'invalid_client']);
      expect(errorCodeOf(await redeem(service, code, { ...web, client_secret: 'x' }))).toEqual([401, 'invalid_client']);
      const tokens = jsonOf(await redeem(service, code, { ...web, client_secret: 'w3b' })) as Tokens;
      expect(errorCodeOf(await refresh(service, tokens.refresh_token, { client_id: 'web' }))).toEqual([
        401,
        'invalid_client',
      ]);
      const login = { client_id: 'web', client_secret: 'w3b' };
      expect((await refresh(service, tokens.refresh_token, login)).status).toBe(200);
    });

    test.each<[string, Members, number, string]>([
      ['no code', { code: '' }, 400, 'invalid_request'],
      ['an unknown client', { client_id: 'stranger' }, 401, 'invalid_client'],
      ['another resource', { resource: 'https://other.example' }, 400, 'invalid_target'],
    ])('answers %s with the error of RFC 6749', async (_, more, status, error) => {
      const service = await start();
      expect(errorCodeOf(await redeem(service, await codeOf(service), more))).toEqual([status, error]);
    });

    test('lets an address that guesses codes wait, but not the callers there whose codes and tokens are right', async () => {
      const clock = handClock();
      const service = await start({ clock });
      const signedIn = await signIn(service);
      for (let guess = 0; guess < 100; guess++) await redeem(service, `guess ${guess}`);
      for (const received of [await redeem(service, 'guess'), await refresh(service, 'guess')]) {
        const wait = ['60', 429, 'temporarily_unavailable'];
        expect([received.headers['retry-after'], ...errorCodeOf(received)]).toEqual(wait);
      }
      expect((await redeem(service, await codeOf(service))).status).toBe(200);
      expect((await refresh(service, signedIn.refresh_token)).status).toBe(200);
      clock.advance(60_000);
      expect(errorCodeOf(await redeem(service, 'guess'))).toEqual([400, 'invalid_grant']);
    });

    test('lets an address that guesses wait with the code of another client, too', async () => {
      const service = await start();
      const code = await codeOf(service);
      for (let guess = 0; guess < 100; guess++) await redeem(service, code, { client_id: 'rolealerts-cli' });
      expect((await redeem(service, code, { client_id: 'rolealerts-cli' })).status).toBe(429);
      expect((await redeem(service, code)).status).toBe(200);
    });
  });

  describe('a refresh token', () => {
    test('gives an access token and the next refresh token', async () => {
      const service = await start();
      const first = await signIn(service);
      const second = jsonOf(await refresh(service, first.refresh_token)) as Tokens;
      expect(second.refresh_token).not.toBe(first.refresh_token);
      const third = jsonOf(await refresh(service, second.refresh_token)) as Tokens;
      for (const { access_token } of [first, second, third]) expect(await listWith(service, access_token)).toBe(200);
    });

    test('that is used twice ends the sign-in with all of its tokens, and no other', async () => {
      const service = await start();
      const [first, other] = [await signIn(service), await signIn(service)];
      const second = jsonOf(await refresh(service, first.refresh_token)) as Tokens;
      expect(errorCodeOf(await refresh(service, first.refresh_token))).toEqual([400, 'invalid_grant']);
      expect(errorCodeOf(await refresh(service, second.refresh_token))).toEqual([400, 'invalid_grant']);
      expect(await listWith(service, first.access_token)).toBe(401);
      expect(await listWith(service, second.access_token)).toBe(401);
      expect(await listWith(service, other.access_token)).toBe(200);
    });

    test('works for a week after the sign-in, however often it is renewed', async () => {
      const clock = handClock();
      const service = await start({ clock });
      let { refresh_token: token } = await signIn(service);
      for (let days = 0; days < 6; days++) {
        clock.advance(86_400_000);
        ({ refresh_token: token } = jsonOf(await refresh(service, token)) as Tokens);
      }
      clock.advance(86_400_000);
      expect(errorCodeOf(await refresh(service, token))).toEqual([400, 'invalid_grant']);
    });

    test('may be asked for fewer scopes, and not for more', async () => {
      const service = await start();
      const { refresh_token: token } = await signIn(service, { scope: 'user_impersonation alerts.read' });
      const less = jsonOf(await refresh(service, token, { scope: 'alerts.read' })) as Tokens;
      expect(less.scope).toBe('alerts.read');
      const again = jsonOf(await refresh(service, less.refresh_token)) as Tokens;
      expect(again.scope).toBe('user_impersonation alerts.read');
      const small = await signIn(service, { scope: 'alerts.read' });
      const more = await refresh(service, small.refresh_token, { scope: 'user_impersonation' });
      expect(errorCodeOf(more)).toEqual([400, 'invalid_scope']);
      expect((await refresh(service, small.refresh_token)).status).toBe(200);
    });

    test.each<[string, Members, number, string]>([
      ['of another client', { client_id: 'tools' }, 400, 'invalid_grant'],
      ['that does not exist', { refresh_token: 'x' }, 400, 'invalid_grant'],
      ['that is missing', { refresh_token: '' }, 400, 'invalid_request'],
    ])('%s is refused, and the right one still works', async (_, more, status, error) => {
      const service = await start();
      const { refresh_token: token } = await signIn(service);
      expect(errorCodeOf(await refresh(service, token, more))).toEqual([status, error]);
      expect((await refresh(service, token)).status).toBe(200);
    });

    test('gives a user no more tokens than the user may send requests', async () => {
      const service = await start({ clock: handClock(), requestsPerSecond: 1 });
      let { refresh_token: token } = await signIn(service);
      for (let count = 0; count < 10; count++) {
        ({ refresh_token: token } = jsonOf(await refresh(service, token)) as Tokens);
      }
      const received = await refresh(service, token);
      expect([received.headers['retry-after'], ...errorCodeOf(received)]).toEqual([
        '1',
        429,
        'temporarily_unavailable',
      ]);
    });

    test('survives a restart, unless the user or the client is gone; what was revoked stays revoked', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'rolealerts-code-'));
      folders.push(folder);
      const dataFile = join(folder, 'state.db');
      const first = await start({ dataFile });
      const [kept, gone] = [await signIn(first), await signIn(first)];
      await revoke(first, { client_id: 'portal', token: gone.refresh_token });
      await first.stop();
      const second = await start({ dataFile });
      expect(await listWith(second, gone.access_token)).toBe(401);
      const next = jsonOf(await refresh(second, kept.refresh_token)) as Tokens;
      expect(await listWith(second, next.access_token)).toBe(200);
      await second.stop();
      const third = await start({ dataFile, users: users.slice(1) });
      expect(errorCodeOf(await refresh(third, next.refresh_token))).toEqual([400, 'invalid_grant']);
    });

    test('ends when the password of its user changes, and not when that of another user does', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'rolealerts-code-'));
      folders.push(folder);
      const dataFile = join(folder, 'state.db');
      const hashed = parseHashedSecret(await hashNewSecret(user.password));
      if ('problem' in hashed) throw new Error(hashed.problem);
      const withPassword = (password: string) => ({ name: user.name, password: new SecretText(password) });
      const withHash = { name: user.name, passwordHash: hashed };
      const other = { name: 'bob', password: new SecretText('other') };
      let token = '';
      /** Whether the refresh token works after a restart with these users. */
      const refreshedWith = async (...registered: ServiceUser[]) => {
        const service = await start({ dataFile, users: registered });
        if (token === '') token = (await signIn(service)).refresh_token;
        const received = await refresh(service, token);
        await service.stop();
        const { refresh_token: next, error_description: problem } = jsonOf(received) as Record<string, string>;
        token = next ?? token;
        return problem ?? 'yes';
      };
      const changed = 'The password of the user has changed. Sign in again.';
      expect(await refreshedWith(...users)).toBe('yes');
      expect(await refreshedWith(withPassword(user.password), other)).toBe('yes');
      expect(await refreshedWith(withPassword('new password'))).toBe(changed);
      expect(await refreshedWith(withHash)).toBe(changed);
      token = '';
      expect(await refreshedWith(withHash)).toBe('yes');
      expect(await refreshedWith(withHash, other)).toBe('yes');
      expect(await refreshedWith(withPassword(user.password))).toBe(changed);
    });
  });

  describe('revocation', () => {
    const portal = { client_id: 'portal' };

    test('of a refresh token ends the sign-in with its access tokens', async () => {
      const service = await start();
      const [revoked, other] = [await signIn(service), await signIn(service)];
      expect(await listWith(service, revoked.access_token)).toBe(200);
      const received = await revoke(service, { ...portal, token: revoked.refresh_token });
      expect([received.status, received.text]).toEqual([200, '']);
      expect(await listWith(service, revoked.access_token)).toBe(401);
      expect(errorCodeOf(await refresh(service, revoked.refresh_token))).toEqual([400, 'invalid_grant']);
      expect(await listWith(service, other.access_token)).toBe(200);
    });

    test('of an access token ends that one only, also before its first use', async () => {
      const service = await start();
      const tokens = await signIn(service);
      const next = jsonOf(await refresh(service, tokens.refresh_token)) as Tokens;
      const hint = { token_type_hint: 'refresh_token' };
      expect((await revoke(service, { ...portal, ...hint, token: tokens.access_token })).status).toBe(200);
      expect(await listWith(service, tokens.access_token)).toBe(401);
      expect(await listWith(service, next.access_token)).toBe(200);
      expect((await refresh(service, next.refresh_token)).status).toBe(200);
    });

    test('of the token of a program needs its login', async () => {
      const service = await start();
      const token = await tokenOf(service, operator);
      const login = { client_id: operator.id, client_secret: operator.secret };
      expect(errorCodeOf(await revoke(service, { client_id: operator.id, token }))).toEqual([401, 'invalid_client']);
      expect(errorCodeOf(await revoke(service, { ...portal, token }))).toEqual([400, 'invalid_grant']);
      expect(await listWith(service, token)).toBe(200);
      expect((await revoke(service, { ...login, token })).status).toBe(200);
      expect(await listWith(service, token)).toBe(401);
      expect(await listWith(service, await tokenOf(service, operator))).toBe(200);
    });

    test.each(['unknown', 'a.b.c', 'x'.repeat(5000)])('of a token that does not exist succeeds', async (token) => {
      expect((await revoke(await start(), { ...portal, token })).status).toBe(200);
    });

    test('twice succeeds', async () => {
      const service = await start();
      const { refresh_token: token } = await signIn(service);
      for (let time = 0; time < 2; time++) expect((await revoke(service, { ...portal, token })).status).toBe(200);
    });

    test.each<[string, Members, number, string]>([
      ['without a token', portal, 400, 'invalid_request'],
      ['without a client', { token: 'x' }, 401, 'invalid_client'],
      ['of an unknown client', { client_id: 'stranger', token: 'x' }, 401, 'invalid_client'],
    ])('%s is refused', async (_, members, status, error) => {
      expect(errorCodeOf(await revoke(await start(), members))).toEqual([status, error]);
    });
  });
});
