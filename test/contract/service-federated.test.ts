// A client of the alerts service that is a ServiceAccount of a cluster: its tokens are assertions, verified with the keys that the
// cluster publishes (RFC 7523, section 2.2). The cluster is a server on a socket here.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SignJWT, type JWTPayload } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import type { FederatedTrust, KeySource } from '../../src/service/oauth/federated-trust.ts';
import { createKeySourceReader } from '../../src/service/oauth/token/key-source.ts';
import { makeSelfSigned, type SelfSigned } from '../../src/service/tls/self-signed.ts';
import { askToken, newKeyPair, publicURL } from '../support/rigs/oauth-rig.ts';
import { handClock, jsonOf, type ServiceUnderTest, startOverSocket } from '../support/servers/alerts-service.ts';
import { startScriptedServer, type ScriptedServer } from '../support/servers/scripted-server.ts';

const issuer = 'https://kubernetes.default.svc';
const subject = 'system:serviceaccount:team:alerts';
const audience = 'api://alerts';
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const [key, nextKey] = [await newKeyPair('RS256'), await newKeyPair('RS256')];

let folder: string;
let certificate: SelfSigned;
let cluster: ScriptedServer;
let published: readonly string[];

const keysByID = { one: key, two: nextKey };
const jwks = () =>
  JSON.stringify({
    keys: Object.entries(keysByID)
      .filter(([kid]) => published.includes(kid))
      .map(([kid, { publicJWK }]) => ({ ...publicJWK, kid, use: 'sig' })),
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rolealerts-federated-'));
  certificate = await makeSelfSigned(['localhost'], Date.now());
  await writeFile(join(folder, 'ca.crt'), certificate.authority);
  await writeFile(join(folder, 'token'), 'reader-token\n');
});
afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  published = ['one'];
  cluster = await startScriptedServer(
    ({ headers }, response) => {
      const isAllowed = headers['authorization'] === 'Bearer reader-token';
      // As an API server: it has only this type.
      const isAccepted = headers['accept']?.includes('application/jwk-set+json') === true;
      response.writeHead(isAllowed ? (isAccepted ? 200 : 406) : 403, { 'content-type': 'application/jwk-set+json' });
      response.end(isAllowed ? jwks() : '{}');
    },
    { cert: certificate.certificate, key: certificate.key },
  );
});
afterEach(() => cluster.stop());

const fromCluster = (): KeySource => ({
  url: `${cluster.url}/openid/v1/jwks`,
  caFile: join(folder, 'ca.crt'),
  tokenFile: join(folder, 'token'),
});
const trusting = (keys: KeySource): FederatedTrust => ({ issuer, subject, audience, keys });

function sign(nowMs: number, claims: JWTPayload = {}, kid: 'one' | 'two' = 'one', { privateKey } = keysByID[kid]) {
  const nowSeconds = Math.floor(nowMs / 1000);
  const good = { iss: issuer, sub: subject, aud: [audience], iat: nowSeconds, nbf: nowSeconds, exp: nowSeconds + 600 };
  return new SignJWT(JSON.parse(JSON.stringify({ ...good, ...claims })) as JWTPayload)
    .setProtectedHeader({ alg: 'RS256', kid })
    .sign(privateKey);
}

const logIn = (service: ServiceUnderTest, assertion: string, more: Record<string, string> = {}) =>
  askToken(service, {
    grant_type: 'client_credentials',
    client_id: 'operator',
    client_assertion_type: assertionType,
    client_assertion: assertion,
    ...more,
  });

describe('a client that trusts a ServiceAccount', () => {
  let service: ServiceUnderTest;
  let clock: ReturnType<typeof handClock>;

  beforeEach(async () => {
    clock = handClock(Date.now());
    const clients = [
      { id: 'operator', federated: [trusting(fromCluster())] },
      { id: 'other', secret: new SecretText('secret-of-the-other') },
    ];
    service = await startOverSocket({
      publicURL,
      clients,
      clock: { ...systemClock, now: () => clock.now(), monotonic: () => clock.monotonic() },
    });
  });
  afterEach(() => service.stop());

  const outcomeOf = async (assertion: string | Promise<string>, more = {}) => {
    const received = await logIn(service, await assertion, more);
    const { error, error_description } = jsonOf(received) as { error?: string; error_description?: string };
    return error === undefined ? received.status : `${received.status} ${error}: ${error_description}`;
  };

  const hasEnded = '401 invalid_client: The assertion must end (exp) in the future; a clock may be 30 seconds behind.';

  test('may send the same token until it ends, as the operator does', async () => {
    const assertion = await sign(clock.now());
    expect([await outcomeOf(assertion), await outcomeOf(assertion)]).toEqual([200, 200]);
    clock.advance(631_000);
    expect(await outcomeOf(assertion)).toBe(hasEnded);
  });

  const wrongAudience =
    '401 invalid_client: The assertion must be for exactly the audience (aud) that is registered for this client.';
  const invalid = '401 invalid_client: The assertion is invalid.';
  test.each<[string, (nowMs: number) => Promise<string>, string]>([
    ['for another audience', (now) => sign(now, { aud: [issuer] }), wrongAudience],
    [
      'that lives for longer than a day',
      (now) => sign(now, { exp: Math.floor(now / 1000) + 86_401 }),
      '401 invalid_client: The assertion must end (exp) within 86400 seconds after it was issued (iat).',
    ],
    [
      'without the time of its issue',
      (now) => sign(now, { iat: undefined as never }),
      '401 invalid_client: The assertion must say when it was issued (iat).',
    ],
    [
      'that is issued later than a clock may be ahead',
      (now) => sign(now, { iat: Math.floor(now / 1000) + 31, nbf: undefined as never }),
      '401 invalid_client: The assertion is issued (iat) in the future; a clock may be 30 seconds ahead.',
    ],
    ['of another account', (now) => sign(now, { sub: 'system:serviceaccount:team:default' }), invalid],
    ['of another cluster', (now) => sign(now, { iss: 'https://other.example' }), invalid],
    ['that another key signed', (now) => sign(now, {}, 'one', nextKey), invalid],
  ])('gets none for a token %s', async (_, make, expected) => {
    expect(await outcomeOf(make(clock.now()))).toBe(expected);
  });

  test('is asked to try again while the keys cannot be read, which refuses no token', async () => {
    cluster.script = (_, response) => void response.writeHead(503).end();
    const received = await logIn(service, await sign(clock.now()));
    expect([received.status, received.headers['retry-after'], jsonOf(received)]).toMatchObject([
      429,
      '5',
      { error: 'temporarily_unavailable' },
    ]);
  });

  test.each([
    ['another client', { client_id: 'other' }, '400 invalid_request'],
    ['a secret', { client_secret: 'secret-of-the-other' }, '400 invalid_request'],
  ])('gets none beside the name of %s', async (_, more, expected) => {
    expect(await outcomeOf(sign(clock.now()), more)).toContain(expected);
  });

  test('is no public client: its name alone is not enough', async () => {
    const received = await askToken(service, {
      grant_type: 'authorization_code',
      client_id: 'operator',
      code: 'x',
    });
    expect([received.status, jsonOf(received)]).toMatchObject([401, { error: 'invalid_client' }]);
  });
});

describe('the keys of a cluster', () => {
  const read = createKeySourceReader(systemClock);

  test('are not requested from a server with another certificate', async () => {
    await expect(read({ ...fromCluster(), caFile: undefined as never })).rejects.toThrow(/certificate/);
    expect(cluster.requests).toEqual([]);
  });

  test('are not taken from a redirect, which could name another server', async () => {
    cluster.script = (_, response) => void response.writeHead(302, { location: 'https://other.example/' }).end();
    await expect(read(fromCluster())).rejects.toThrow('the response has the status 302');
    expect(cluster.requests).toHaveLength(1);
  });

  test.each([
    ['says so', { 'content-length': '65537' }],
    ['does not say so', {}],
  ])('are read up to 64 KiB, whether a longer response %s', async (_, headers) => {
    cluster.script = (_request, response) => void response.writeHead(200, headers).end('x'.repeat(65_537));
    await expect(read(fromCluster())).rejects.toThrow('the keys have more than 65536 bytes');
  });
});
