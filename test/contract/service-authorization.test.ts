// Authorization: requests without a valid token against both operations, with the exact status, body and challenge; then assertions;
// then clients and users that may access only some resource scopes, and do not learn whether another one exists.
import { type JWTPayload, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';

import { SecretText } from '../../src/lib/secret-text.ts';
import { keepLog } from '../support/rigs/kept-log.ts';
import {
  askToken,
  clientsWith,
  fragmentOf,
  newKeyPair,
  operator,
  portalURI,
  publicURL,
  reader,
  sendForm,
  tokenOf,
  unsigned,
  user,
  users,
} from '../support/rigs/oauth-rig.ts';
import { json, listOne, sharedService, startService, turnOff } from '../support/servers/alerts-service-cases.ts';
import {
  apiVersion,
  errorOf,
  handClock,
  jsonOf,
  listPath,
  type ServiceUnderTest,
} from '../support/servers/alerts-service.ts';

const [pair, otherPair] = [await newKeyPair(), await newKeyPair()];

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const list = (service: ServiceUnderTest, headers: Record<string, string>) => service.send({ target: listOne, headers });
const update = (service: ServiceUnderTest, headers: Record<string, string>) =>
  service.send({ ...turnOff, headers: { ...json, ...headers } });
const flagOf = async (service: ServiceUnderTest) => {
  const alert = await service.alerts.readAlert('subscriptions/one', 'A');
  return (alert?.['properties'] as { readonly isActive?: unknown } | undefined)?.isActive;
};

const missing = ['401 AuthenticationRequired', 'Bearer realm="rolealerts"'];
const invalid = ['401 InvalidToken', 'Bearer realm="rolealerts", error="invalid_token"'];

describe('a request to either operation', () => {
  const shared = sharedService({ publicURL, clients: clientsWith() });

  test.each<[string, (token: string) => string, readonly string[]]>([
    ['without a token', () => '', missing],
    ['with a token in another scheme', (token) => `Token ${token}`, missing],
    ['with Basic', () => `Basic ${btoa(`${operator.id}:${operator.secret}`)}`, missing],
    ['with two tokens', (token) => `Bearer ${token}, Bearer ${token}`, missing],
    ['with a made-up token', () => 'Bearer made-up', invalid],
    ['with a token without its signature', (token) => `Bearer ${unsigned(token)}`, invalid],
  ])('%s is refused and changes nothing', async (_, headerWith, expected) => {
    const service = await shared();
    const headers = { authorization: headerWith(await tokenOf(service, operator)) };
    for (const received of [await list(service, headers), await update(service, headers)]) {
      expect([errorOf(received), received.headers['www-authenticate']]).toEqual(expected);
    }
    expect(await flagOf(service)).toBe(true);
  });

  test('with an unknown token is refused before it shows whether the scope exists', async () => {
    const target = listOne.replace('one', 'none');
    expect(errorOf(await (await shared()).send({ target, headers: bearer('x') }))).toBe(invalid[0]);
  });

  test('with a token that only reads lists, and cannot update', async () => {
    const service = await shared();
    const headers = bearer(await tokenOf(service, reader));
    expect((await list(service, headers)).status).toBe(200);
    const received = await update(service, headers);
    expect([errorOf(received), received.headers['www-authenticate'], await flagOf(service)]).toEqual([
      '403 InsufficientScope',
      'Bearer realm="rolealerts", error="insufficient_scope", scope="user_impersonation"',
      true,
    ]);
  });
});

describe('an assertion of a client (RFC 7523)', () => {
  const clock = handClock();
  const nowSeconds = Math.floor(clock.now() / 1000);
  const options = { publicURL, clock, clients: clientsWith(pair.publicJWK) };
  const shared = sharedService(options);

  const sign = (claims: JWTPayload = {}, { privateKey } = pair) =>
    new SignJWT({ aud: publicURL, exp: nowSeconds + 60, jti: crypto.randomUUID(), ...claims })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer('robot')
      .setSubject('robot')
      .sign(privateKey);
  const asGrant = (service: ServiceUnderTest, assertion: string, more = {}) =>
    askToken(service, { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion, ...more });
  const asLogin = (service: ServiceUnderTest, assertion: string, more = {}) =>
    askToken(service, {
      grant_type: 'client_credentials',
      client_assertion: assertion,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      ...more,
    });
  const outcomeOf = async (received: ReturnType<typeof askToken>) => {
    const { error = 'good' } = jsonOf(await received) as { readonly error?: string };
    return `${(await received).status} ${error}`;
  };

  function withLog(level: 'info' | 'warn', more: Parameters<typeof startService>[0] = {}) {
    const { lines, log } = keepLog(level);
    return { service: startService({ ...options, ...more, log }), lines };
  }

  test.each([
    ['grant', asGrant, publicURL],
    ['login', asLogin, `${publicURL}/common/oauth2/token`],
  ])('is good as a %s, and its token opens both operations in the name of the client', async (_, ask, aud) => {
    const service = await startService(options);
    const { access_token: token } = jsonOf(await ask(service, await sign({ aud }))) as { access_token: string };
    expect([(await list(service, bearer(token))).status, (await update(service, bearer(token))).status]).toEqual([
      200, 204,
    ]);
    expect((await service.alerts.readAlert('subscriptions/one', 'A'))?.['systemData']).toMatchObject({
      lastModifiedBy: 'robot',
      lastModifiedByType: 'Application',
    });
  });

  test.each([
    ['grant', asGrant, '400 invalid_grant'],
    ['login', asLogin, '401 invalid_client'],
  ])('is good once: as a %s a second time it is refused, however it was used first', async (_, ask, expected) => {
    for (const first of [asGrant, asLogin]) {
      const assertion = await sign();
      expect(await outcomeOf(first(await shared(), assertion))).toBe('200 good');
      expect(await outcomeOf(ask(await shared(), assertion))).toBe(expected);
    }
  });

  test.each<[string, () => Promise<string> | string, string]>([
    ['nothing', () => '', '400 invalid_request'],
    ['one that has ended', () => sign({ exp: nowSeconds - 31 }), '400 invalid_grant'],
  ])('is refused: %s', async (_, make, asGranted) => {
    expect(await outcomeOf(asGrant(await shared(), await make()))).toBe(asGranted);
    expect(await outcomeOf(asLogin(await shared(), await make()))).toBe('401 invalid_client');
  });

  test('that lives for too long is refused with the limit, to the client and in the log, without its claims', async () => {
    const { service, lines } = withLog('info');
    const reason = 'The assertion must end (exp) within 600 seconds.';
    for (const ask of [asGrant, asLogin]) {
      const received = await ask(await service, await sign({ exp: nowSeconds + 7200, jti: 'canary' }));
      expect(jsonOf(received)).toMatchObject({ error_description: reason });
    }
    const logged = lines.map((line) => JSON.parse(line) as { msg: string });
    expect(logged.filter(({ msg }) => msg === 'assertion refused')).toMatchObject([
      { client: 'robot', reason },
      { client: 'robot', reason },
    ]);
    expect(lines.join()).not.toMatch(new RegExp(`canary|${nowSeconds + 7200}`));
  });

  describe('that one of two keys of one type signed, without a kid', () => {
    const pairs = [pair, otherPair];
    const withKeys = (...ids: readonly (string | undefined)[]) => {
      const keys = pairs.map(({ publicJWK }, index) => ({ ...publicJWK, ...(ids[index] && { kid: ids[index] }) }));
      return withLog('warn', { clients: [{ id: 'robot', keys }] });
    };

    test('is good whichever of them it was, so a rotation never locks the client out', async () => {
      const service = await withKeys().service;
      for (const each of pairs) {
        const assertion = await sign({}, each);
        expect(await outcomeOf(asGrant(service, assertion))).toBe('200 good');
        expect(await outcomeOf(asGrant(service, assertion))).toBe('400 invalid_grant');
        const ended = await sign({ exp: nowSeconds - 31 }, each);
        expect(await outcomeOf(asLogin(service, ended))).toBe('401 invalid_client');
      }
      expect(await outcomeOf(asGrant(service, await sign({}, await newKeyPair())))).toBe('400 invalid_grant');
    });

    test.each([
      ['neither has a kid', [undefined, undefined], [[0, 1]]],
      ['each has its own', ['a', 'b'], []],
    ])('is announced at the start with the keys that need one: %s', async (_, ids, expected) => {
      const { service, lines } = withKeys(...ids);
      await service;
      const msg = 'keys have no kid of their own: each is tried';
      expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject(
        expected.map((keys) => ({ client: 'robot', keys, msg })),
      );
    });
  });

  test.each([
    [
      'grant beside the secret of another',
      asGrant,
      { client_id: 'operator', client_secret: 's3cret' },
      '400 invalid_grant',
    ],
    ['grant beside a wrong secret', asGrant, { client_id: 'operator', client_secret: 'x' }, '401 invalid_client'],
    ['grant beside half of a login', asGrant, { client_assertion: 'x' }, '400 invalid_request'],
    ['grant beside the id of another client', asGrant, { client_id: 'operator' }, '400 invalid_grant'],
    ['login with a secret', asLogin, { client_id: 'operator', client_secret: 's3cret' }, '400 invalid_request'],
    ['login under another client id', asLogin, { client_id: 'operator' }, '400 invalid_request'],
    ['login for another resource', asLogin, { resource: 'https://other.example' }, '400 invalid_target'],
  ])('is refused as a %s', async (_, ask, more, expected) => {
    expect(await outcomeOf(ask(await shared(), await sign(), more))).toBe(expected);
  });
});

const limited = (resourceScopes: readonly string[]) => [
  { id: operator.id, secret: new SecretText(operator.secret), resourceScopes },
];
const target = (scope: string) => `/${scope}${listPath}?${apiVersion}`;

async function statusOf(service: ServiceUnderTest, token: string, scope: string): Promise<string> {
  const received = await service.send({ target: target(scope), headers: { authorization: `Bearer ${token}` } });
  return received.status === 200 ? '200' : errorOf(received);
}

const sharedLimited = sharedService({ publicURL, clients: limited(['Subscriptions/ONE']) });

test.each([
  ['the scope itself', 'subscriptions/one', '200'],
  ['it in other letters', 'SUBSCRIPTIONS/One', '200'],
  ['it with an encoded slash', 'subscriptions%2Fone', '200'],
  ['a scope below it', 'subscriptions/one/providers/Vendor.Compute/machines/m', '200'],
  ['an unknown scope below it', 'subscriptions/one/resourceGroups/x', '404 ScopeNotFound'],
  ['another scope that exists', 'subscriptions/empty', '403 ScopeForbidden'],
  ['another scope that does not', 'subscriptions/nothing', '403 ScopeForbidden'],
  ['one that only begins with the same letters', 'subscriptions/one-more', '403 ScopeForbidden'],
  ['a scope above it', 'subscriptions', '403 ScopeForbidden'],
])('a client that may access one scope: %s', async (_, scope, expected) => {
  const service = await sharedLimited();
  expect(await statusOf(service, await tokenOf(service, operator), scope)).toBe(expected);
});

test('an update of another scope is refused, the same for every alert, and changes nothing', async () => {
  const service = await startService({ publicURL, clients: limited(['subscriptions/empty']) });
  const headers = { ...json, authorization: `Bearer ${await tokenOf(service, operator)}` };
  const responses = [
    await service.send({ ...turnOff, headers }),
    await service.send({ ...turnOff, target: turnOff.target.replace('/A?', '/Unknown?'), headers }),
    await service.send({ ...turnOff, target: turnOff.target.replace('/one/', '/unknown/'), headers }),
  ];
  for (const received of responses) {
    expect([errorOf(received), received.headers['www-authenticate'], received.text]).toEqual([
      '403 ScopeForbidden',
      'Bearer realm="rolealerts"',
      responses[0]?.text,
    ]);
  }
  expect(service.alerts.readAlert('subscriptions/one', 'A')).toMatchObject({ properties: { isActive: true } });
});

test('a user may access what both the user and the client may', async () => {
  const service = await startService({
    publicURL,
    clients: [{ id: 'portal', redirectURIs: [portalURI], resourceScopes: ['subscriptions'] }],
    users: users.map((each) => ({ ...each, resourceScopes: ['subscriptions/one', 'clusters'] })),
    seed: {
      scopes: { 'subscriptions/one': { value: [] }, 'subscriptions/two': { value: [] }, clusters: { value: [] } },
    },
  });
  const form = { response_type: 'token', client_id: 'portal', username: user.name, password: user.password };
  const { access_token: token = '' } = fragmentOf(await sendForm(service, form));
  expect(await statusOf(service, token, 'subscriptions/one')).toBe('200');
  expect(await statusOf(service, token, 'subscriptions/two')).toBe('403 ScopeForbidden');
  expect(await statusOf(service, token, 'clusters')).toBe('403 ScopeForbidden');
});
