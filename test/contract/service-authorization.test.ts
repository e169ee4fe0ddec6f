// Authorization: every invalid token against both operations, with the exact status, body and challenge; then assertions.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SignJWT, type JWTPayload } from 'jose';
import { afterEach, describe, expect, test } from 'vitest';

import { createLogger } from '../../src/lib/log.ts';
import {
  askToken,
  clientsWith,
  forgeToken,
  newKeyPair,
  operator,
  publicURL,
  reader,
  stolenKey,
  tokenOf,
  unsigned,
  users,
} from '../support/rigs/oauth-rig.ts';
import { describeService, json, listOne, turnOff, type Started } from '../support/servers/alerts-service-cases.ts';
import { errorOf, handClock, jsonOf, type ServiceUnderTest } from '../support/servers/alerts-service.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const list = (service: ServiceUnderTest, headers: Record<string, string>) => service.send({ target: listOne, headers });
const update = (service: ServiceUnderTest, headers: Record<string, string>) =>
  service.send({ ...turnOff, headers: { ...json, ...headers } });

/** Runs once to have a key, and again with its data file, so that a case can sign with the service's own key. */
async function startTwice(started: Started, more: Parameters<Started>[0] = {}) {
  const clock = handClock();
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-authorization-'));
  folders.push(folder);
  const options = { dataFile: join(folder, 'state.db'), publicURL, clock, clients: clientsWith(), users, ...more };
  const first = await started(options);
  const issued = await tokenOf(first, operator);
  await first.stop();
  const key = await stolenKey(options.dataFile);
  return { service: await started(options), key, issued, clock };
}

const missing = ['401 AuthenticationRequired', 'Bearer realm="rolealerts"'];
const invalid = ['401 InvalidToken', 'Bearer realm="rolealerts", error="invalid_token"'];
const insufficient = [
  '403 InsufficientScope',
  'Bearer realm="rolealerts", error="insufficient_scope", scope="user_impersonation"',
];

/** `undefined` leaves a claim out. */
type Claims = Readonly<Record<string, unknown>>;

type Forge = (facts: Awaited<ReturnType<typeof startTwice>>) => Promise<string> | string;
const forged =
  (claims: Claims = {}, header: Record<string, string | undefined> = {}): Forge =>
  ({ key, clock }) =>
    forgeToken(key, clock.now(), { claims, header });

describeService((started) => {
  describe('a request to either operation', () => {
    test.each<[string, (token: string) => Record<string, string>]>([
      ['without a token', () => ({ authorization: '' })],
      ['with a token in another scheme', (token) => ({ authorization: `Token ${token}` })],
      ['with a token and no scheme', (token) => ({ authorization: token })],
      ['with Basic', () => ({ authorization: `Basic ${btoa(`${operator.id}:${operator.secret}`)}` })],
      ['with an empty token', () => ({ authorization: 'Bearer ' })],
      ['with two tokens', (token) => ({ authorization: `Bearer ${token}, Bearer ${token}` })],
    ])('%s is asked for one', async (_, headersFor) => {
      const service = await started({ publicURL, clients: clientsWith() });
      const headers = headersFor(await tokenOf(service, operator));
      for (const received of [await list(service, headers), await update(service, headers)]) {
        expect([errorOf(received), received.headers['www-authenticate']]).toEqual(missing);
      }
    });

    test('with a token in the query is asked for one', async () => {
      const service = await started({ publicURL, clients: clientsWith() });
      const target = `${listOne}&access_token=${await tokenOf(service, operator)}`;
      expect(errorOf(await service.send({ target, headers: { authorization: '' } }))).toBe(missing[0]);
    });

    test.each<[string, Forge]>([
      ['made up', () => 'made-up'],
      ['of three parts that are no JSON', () => 'a.b.c'],
      ['very long', () => 'a'.repeat(8000)],
      ['expired', forged({ exp: Math.floor(handClock().now() / 1000) })],
      ['not good yet', forged({ nbf: Math.floor(handClock().now() / 1000) + 60 })],
      ['from the future', forged({ iat: Math.floor(handClock().now() / 1000) + 32 })],
      ['without an end', forged({ exp: undefined })],
      ['for another service', forged({ aud: 'https://other.example' })],
      ['without an audience', forged({ aud: undefined })],
      ['of another issuer', forged({ iss: 'https://other.example' })],
      ['without a subject', forged({ sub: undefined })],
      ['without a scope', forged({ scope: undefined })],
      ['without an id', forged({ jti: undefined })],
      ['of a client that is not registered', forged({ client_id: 'gone', sub: 'gone' })],
      ['of a user who is not registered', forged({ subject_type: 'user', sub: 'gone' })],
      ['that is another kind of JWT', forged({}, { typ: 'JWT' })],
      ['of no kind', forged({}, { typ: undefined })],
      ['signed by an unknown key', forged({}, { kid: 'unknown' })],
      ['that names no key', forged({}, { kid: undefined })],
      ['unsigned (alg: none)', ({ issued }) => unsigned(issued)],
      [
        'signed by another key under the name of ours',
        async ({ key, clock }) => forgeToken({ ...(await newKeyPair()), id: key.id }, clock.now()),
      ],
      [
        'signed with our public key as a shared secret (HS256)',
        ({ key, clock }) => {
          const secret = Buffer.from(JSON.stringify(key.publicJWK));
          return forgeToken({ id: key.id, privateKey: secret }, clock.now(), { header: { alg: 'HS256' } });
        },
      ],
      [
        'with claims that were changed after signing',
        ({ issued }) => {
          const [header, payload = '', signature] = issued.split('.');
          const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
          const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'admin' })).toString('base64url');
          return `${header}.${changed}.${signature}`;
        },
      ],
    ])('with a token %s is refused', async (_, forge) => {
      const facts = await startTwice(started);
      const headers = bearer(await forge(facts));
      for (const received of [await list(facts.service, headers), await update(facts.service, headers)]) {
        expect([errorOf(received), received.headers['www-authenticate']]).toEqual(invalid);
      }
      expect(await facts.service.alerts.readAlert('subscriptions/one', 'A')).toMatchObject({
        properties: { isActive: true },
      });
    });

    test('with a bad token is refused, and the debug log has the reason and no part of the token', async () => {
      const lines: string[] = [];
      const log = createLogger({ level: 'debug', format: 'json', sink: { write: (line) => void lines.push(line) } });
      const { service, key, clock, issued } = await startTwice(started, { log });
      const tokens = [
        await forgeToken(key, clock.now(), { claims: { aud: 'https://other.example' } }),
        await forgeToken(key, clock.now(), { claims: { exp: 1 } }),
        await forgeToken(key, clock.now(), { claims: { client_id: 'gone' } }),
        await forgeToken({ ...(await newKeyPair()), id: key.id }, clock.now()),
        unsigned(issued),
      ];
      for (const token of tokens) await list(service, bearer(token));
      const refused = lines.map((line) => JSON.parse(line) as { msg: string; reason?: string });
      expect(refused.filter(({ msg }) => msg === 'token refused').map(({ reason }) => reason)).toEqual([
        'aud check_failed',
        'ERR_JWT_EXPIRED',
        'client or user not registered',
        'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
        'ERR_JOSE_ALG_NOT_ALLOWED',
      ]);
      for (const token of tokens) expect(lines.join()).not.toContain(token.split('.')[1]);
    });

    test('with a token like those above, but good, is answered: none of them was refused for something else', async () => {
      const facts = await startTwice(started);
      const headers = bearer(await forged()(facts));
      expect([(await list(facts.service, headers)).status, (await update(facts.service, headers)).status]).toEqual([
        200, 204,
      ]);
      expect((await list(facts.service, bearer(facts.issued))).status).toBe(200);
    });

    test('with a token of a process whose clock is 30 seconds ahead is answered', async () => {
      const facts = await startTwice(started);
      const headers = bearer(await forged({ iat: Math.floor(facts.clock.now() / 1000) + 30 })(facts));
      expect((await list(facts.service, headers)).status).toBe(200);
    });

    test('is answered until the very end of the token, also when the token was seen before', async () => {
      const { service, issued, clock } = await startTwice(started);
      clock.advance(3_599_999);
      expect((await list(service, bearer(issued))).status).toBe(200);
      clock.advance(1);
      expect(errorOf(await list(service, bearer(issued)))).toBe(invalid[0]);
    });
  });

  describe('a token that only reads', () => {
    test('lists, and cannot update', async () => {
      const service = await started({ publicURL, clients: clientsWith() });
      const headers = bearer(await tokenOf(service, reader));
      expect((await list(service, headers)).status).toBe(200);
      const received = await update(service, headers);
      expect([errorOf(received), received.headers['www-authenticate']]).toEqual(insufficient);
      expect(await service.alerts.readAlert('subscriptions/one', 'A')).toMatchObject({
        properties: { isActive: true },
      });
    });

    test('is not widened by claiming a scope that its client may not have', async () => {
      const facts = await startTwice(started);
      const claims = { client_id: reader.id, sub: reader.id, scope: 'user_impersonation alerts.read' };
      const headers = bearer(await forged(claims)(facts));
      expect([(await list(facts.service, headers)).status, errorOf(await update(facts.service, headers))]).toEqual([
        200,
        insufficient[0],
      ]);
    });

    test('with no scope that is known can do nothing', async () => {
      const facts = await startTwice(started);
      const headers = bearer(await forged({ scope: 'everything' })(facts));
      expect([errorOf(await list(facts.service, headers)), errorOf(await update(facts.service, headers))]).toEqual([
        insufficient[0],
        insufficient[0],
      ]);
    });
  });

  describe('an assertion of a client (RFC 7523)', () => {
    const bearerGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

    async function withRobot(options: Parameters<Started>[0] = {}) {
      const pair = await newKeyPair();
      const clock = handClock();
      const service = await started({ publicURL, clock, clients: clientsWith(pair.publicJWK), ...options });
      const nowSeconds = Math.floor(clock.now() / 1000);
      const good = { iss: 'robot', sub: 'robot', aud: publicURL, exp: nowSeconds + 60, jti: 'one' };
      const sign = (claims: Claims = {}, key: Parameters<SignJWT['sign']>[0] = pair.privateKey, alg = 'ES256') =>
        new SignJWT(JSON.parse(JSON.stringify({ ...good, ...claims })) as JWTPayload)
          .setProtectedHeader({ alg })
          .sign(key);
      return { service, sign, clock, pair, nowSeconds };
    }

    const asGrant = (service: ServiceUnderTest, assertion: string, more = {}) =>
      askToken(service, { grant_type: bearerGrant, assertion, ...more });
    const asLogin = (service: ServiceUnderTest, assertion: string, more = {}) =>
      askToken(service, {
        grant_type: 'client_credentials',
        client_assertion: assertion,
        client_assertion_type: assertionType,
        ...more,
      });

    test.each([
      ['grant', asGrant],
      ['login', asLogin],
    ])('is good as a %s, and its token opens both operations in the name of the client', async (_, ask) => {
      const { service, sign } = await withRobot();
      const received = await ask(service, await sign());
      expect(received.status).toBe(200);
      const { access_token: token } = jsonOf(received) as { access_token: string };
      expect((await update(service, bearer(token))).status).toBe(204);
      expect((await service.alerts.readAlert('subscriptions/one', 'A'))?.['systemData']).toMatchObject({
        lastModifiedBy: 'robot',
        lastModifiedByType: 'Application',
      });
    });

    test('for the token endpoint is good too', async () => {
      const { service, sign } = await withRobot();
      expect((await asGrant(service, await sign({ aud: `${publicURL}/common/oauth2/token` }))).status).toBe(200);
    });

    test.each([
      ['grant', asGrant, 400, 'invalid_grant'],
      ['login', asLogin, 401, 'invalid_client'],
    ])(
      'is good once: as a %s a second time it is refused, however it was used first',
      async (_, ask, status, error) => {
        const { service, sign } = await withRobot();
        for (const first of [asGrant, asLogin]) {
          const assertion = await sign({ jti: first.name });
          expect((await first(service, assertion)).status).toBe(200);
          const again = await ask(service, assertion);
          expect([again.status, jsonOf(again)]).toEqual([status, { error, error_description: expect.any(String) }]);
        }
      },
    );

    test('is good once over a restart', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'rolealerts-replay-'));
      folders.push(folder);
      const dataFile = join(folder, 'state.db');
      const { service, sign, pair, clock } = await withRobot({ dataFile });
      const assertion = await sign();
      expect((await asGrant(service, assertion)).status).toBe(200);
      await service.stop();
      const again = await started({ dataFile, publicURL, clock, clients: clientsWith(pair.publicJWK) });
      expect((await asGrant(again, assertion)).status).toBe(400);
      expect((await asGrant(again, await sign({ jti: 'two' }))).status).toBe(200);
    });

    test.each<[string, (rig: Awaited<ReturnType<typeof withRobot>>) => Promise<string> | string]>([
      ['nothing', () => ''],
      ['no JWT', () => 'x.y.z'],
      ['one that has ended', ({ sign, nowSeconds }) => sign({ exp: nowSeconds - 31 })],
      ['one that never ends', ({ sign }) => sign({ exp: undefined })],
      ['one that lives for too long', ({ sign, nowSeconds }) => sign({ exp: nowSeconds + 3600 })],
      ['one from the future', ({ sign, nowSeconds }) => sign({ iat: nowSeconds + 31 })],
      ['one that is not good yet', ({ sign, nowSeconds }) => sign({ nbf: nowSeconds + 31 })],
      ['one without an id', ({ sign }) => sign({ jti: undefined })],
      ['one with an id that is a list', ({ sign }) => sign({ jti: ['a'] })],
      ['one with an id that is an object', ({ sign }) => sign({ jti: { length: 1 } })],
      ['one with an id that is a number', ({ sign }) => sign({ jti: 7 })],
      ['one for another service', ({ sign }) => sign({ aud: 'https://other.example' })],
      ['one without an audience', ({ sign }) => sign({ aud: undefined })],
      ['one with another subject', ({ sign }) => sign({ sub: 'operator' })],
      ['one of a client without a key', ({ sign }) => sign({ iss: 'operator', sub: 'operator' })],
      ['one of an unknown issuer', ({ sign }) => sign({ iss: 'unknown', sub: 'unknown' })],
      ['one that another key signed', async ({ sign }) => sign({}, (await newKeyPair()).privateKey)],
      ['one without a signature', async ({ sign }) => unsigned(await sign())],
      [
        'one signed with the public key as a shared secret',
        ({ sign, pair }) => sign({}, Buffer.from(JSON.stringify(pair.publicJWK)), 'HS256'),
      ],
    ])('is refused: %s', async (_, make) => {
      const rig = await withRobot();
      const grant = await asGrant(rig.service, await make(rig));
      expect([grant.status, (jsonOf(grant) as { error: string }).error]).toEqual([
        400,
        (await make(rig)) === '' ? 'invalid_request' : 'invalid_grant',
      ]);
      const login = await asLogin(rig.service, await make(rig));
      expect([login.status, (jsonOf(login) as { error: string }).error]).toEqual([401, 'invalid_client']);
    });

    test('of a client whose clock is 30 seconds ahead is good', async () => {
      const { service, sign, nowSeconds } = await withRobot();
      const ahead = { iat: nowSeconds + 30, nbf: nowSeconds + 30, exp: nowSeconds + 90 };
      expect((await asGrant(service, await sign(ahead))).status).toBe(200);
    });

    test('that lives for too long is refused with the limit, to the client and in the log, without its claims', async () => {
      const lines: string[] = [];
      const log = createLogger({ level: 'info', format: 'json', sink: { write: (line) => void lines.push(line) } });
      const { service, sign, nowSeconds } = await withRobot({ log });
      const long = { exp: nowSeconds + 7200, jti: 'canary' };
      for (const received of [await asGrant(service, await sign(long)), await asLogin(service, await sign(long))]) {
        expect(jsonOf(received)).toMatchObject({
          error_description: 'The assertion must end (exp) within 600 seconds.',
        });
      }
      const logged = lines.map((line) => JSON.parse(line) as { msg: string; client?: string; reason?: string });
      expect(logged.filter(({ msg }) => msg === 'assertion refused')).toMatchObject([
        { client: 'robot', reason: 'The assertion must end (exp) within 600 seconds.' },
        { client: 'robot', reason: 'The assertion must end (exp) within 600 seconds.' },
      ]);
      expect(lines.join()).not.toMatch(new RegExp(`canary|${nowSeconds + 7200}`));
    });

    describe('that one of two keys of one type signed, without a kid', () => {
      async function withTwoKeys(ids: readonly (string | undefined)[] = [undefined, undefined]) {
        const pairs = [await newKeyPair(), await newKeyPair()];
        const keys = pairs.map(({ publicJWK }, index) => ({
          ...publicJWK,
          ...(ids[index] !== undefined && { kid: ids[index] }),
        }));
        const lines: string[] = [];
        const log = createLogger({ level: 'warn', format: 'json', sink: { write: (line) => void lines.push(line) } });
        const rig = await withRobot({ clients: [{ id: 'robot', keys }], log });
        return { ...rig, pairs, lines };
      }

      test('is good whichever of them it was, so a rotation never locks the client out', async () => {
        const { service, sign, pairs, nowSeconds } = await withTwoKeys();
        for (const [index, { privateKey }] of pairs.entries()) {
          const assertion = await sign({ jti: `key ${index}` }, privateKey);
          expect((await asGrant(service, assertion)).status).toBe(200);
          expect((await asGrant(service, assertion)).status).toBe(400);
          const ended = await sign({ jti: `ended ${index}`, exp: nowSeconds - 31 }, privateKey);
          expect((await asLogin(service, ended)).status).toBe(401);
        }
        expect((await asGrant(service, await sign({ jti: 'x' }, (await newKeyPair()).privateKey))).status).toBe(400);
      });

      test.each([
        ['neither has a kid', [undefined, undefined], [0, 1]],
        ['one has a kid', ['a', undefined], [0, 1]],
        ['both have the same', ['a', 'a'], [0, 1]],
      ])('is announced at the start when %s', async (_, ids, keys) => {
        const { lines } = await withTwoKeys(ids);
        const warned = lines.map((line) => JSON.parse(line) as object);
        expect(warned).toMatchObject([{ client: 'robot', keys, msg: 'keys have no kid of their own: each is tried' }]);
      });

      test('is not announced when each has its own', async () => {
        expect((await withTwoKeys(['a', 'b'])).lines).toEqual([]);
      });
    });

    test.each([
      ['a wrong secret', { client_id: 'operator', client_secret: 'wrong' }, 401, 'invalid_client'],
      ['the secret of another client', { client_id: 'operator', client_secret: 's3cret' }, 400, 'invalid_grant'],
      ['the id of another client', { client_id: 'operator' }, 400, 'invalid_grant'],
      ['half an assertion for the login', { client_assertion: 'x' }, 400, 'invalid_request'],
    ])('is refused as a grant beside %s', async (_, more, status, error) => {
      const { service, sign } = await withRobot();
      const received = await asGrant(service, await sign(), more);
      expect([received.status, (jsonOf(received) as { error: string }).error]).toEqual([status, error]);
    });

    test.each([
      ['together with a secret', { client_id: 'operator', client_secret: 's3cret' }, 400, 'invalid_request'],
      ['under another client id', { client_id: 'operator' }, 400, 'invalid_request'],
      ['of another type', { client_assertion_type: 'saml' }, 400, 'invalid_request'],
      ['for another resource', { resource: 'https://other.example' }, 400, 'invalid_target'],
    ])('is refused as a login %s', async (_, more, status, error) => {
      const { service, sign } = await withRobot();
      const received = await asLogin(service, await sign(), more);
      expect([received.status, (jsonOf(received) as { error: string }).error]).toEqual([status, error]);
    });
  });
});
