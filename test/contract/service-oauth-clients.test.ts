// Libraries that know nothing of this project get tokens from the service, and use them.
import OAuth2Client from 'client-oauth2';
import { importJWK, SignJWT, type CryptoKey } from 'jose';
import * as oauth from 'oauth4webapi';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { clientsWith, newKeyPair, operator, portalURI, users, type KeyPair } from '../support/rigs/oauth-rig.ts';
import { fillInForm } from '../support/rigs/sign-in.ts';
import { listOne, seed } from '../support/servers/alerts-service-cases.ts';
import { sendOverSocket, startOverSocket, type ServiceUnderTest } from '../support/servers/alerts-service.ts';

const insecure = { [oauth.allowInsecureRequests]: true };
const bearerGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

let service: ServiceUnderTest;
let robot: KeyPair;
beforeEach(async () => {
  robot = await newKeyPair();
  service = await startOverSocket({ seed, users, clients: clientsWith(robot.publicJWK) });
});
afterEach(() => service.stop());

const statusWith = async (token: string) =>
  (await sendOverSocket(service.origin, { target: listOne, headers: { authorization: `Bearer ${token}` } })).status;

async function discover(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(service.origin);
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  return oauth.processDiscoveryResponse(issuer, response);
}

test.each([
  ['Basic', () => [{ client_id: operator.id }, oauth.ClientSecretBasic(operator.secret)] as const],
  ['a secret in the body', () => [{ client_id: operator.id }, oauth.ClientSecretPost(operator.secret)] as const],
  ['an assertion', () => [{ client_id: 'robot' }, oauth.PrivateKeyJwt(robot.privateKey)] as const],
])('oauth4webapi: client credentials by %s, found by discovery, checked with the published keys', async (_, login) => {
  const server = await discover();
  const [client, authentication] = login();
  const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, {}, insecure);
  const { access_token: token } = await oauth.processClientCredentialsResponse(server, client, response);
  expect(await statusWith(token)).toBe(200);
  const request = new Request(service.origin, { headers: { authorization: `Bearer ${token}` } });
  const claims = await oauth.validateJwtAccessToken(server, request, service.origin, insecure);
  expect(claims).toMatchObject({ sub: client.client_id, client_id: client.client_id, scope: 'user_impersonation' });
});

const clientOAuth2 = (options: OAuth2Client.Options) =>
  new OAuth2Client({
    accessTokenUri: `${service.origin}/common/oauth2/token`,
    authorizationUri: `${service.origin}/common/oauth2/authorize`,
    scopes: ['user_impersonation'],
    ...options,
  });

test('client-oauth2: the implicit flow', async () => {
  const auth = clientOAuth2({ clientId: 'portal', redirectUri: portalURI, state: 'a/state=1' });
  const token = await auth.token.getToken(await fillInForm(auth.token.getUri()));
  expect(token.data).toMatchObject({ token_type: 'Bearer', state: 'a/state=1', scope: 'user_impersonation' });
  const signed = token.sign({ url: `${service.origin}${listOne}`, method: 'GET' }) as unknown as {
    headers: { Authorization: string };
  };
  expect(await statusWith(signed.headers.Authorization.replace('Bearer ', ''))).toBe(200);
});

test('a client whose key is RSA or Ed25519 signs with it', async () => {
  for (const algorithm of ['RS256', 'PS256', 'EdDSA']) {
    robot = await newKeyPair(algorithm);
    const other = await startOverSocket({ seed, clients: clientsWith(robot.publicJWK) });
    const key = (await importJWK(robot.publicJWK, algorithm)) as CryptoKey;
    expect(key.type).toBe('public');
    const text = await new SignJWT({})
      .setProtectedHeader({ alg: algorithm })
      .setIssuer('robot')
      .setSubject('robot')
      .setAudience(other.origin)
      .setJti('one')
      .setExpirationTime('1m')
      .sign(robot.privateKey);
    const body = new URLSearchParams({ grant_type: bearerGrant, assertion: text }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: '' };
    const answer = await other.send({ method: 'POST', target: '/common/oauth2/token', headers, body });
    expect([algorithm, answer.status]).toEqual([algorithm, 200]);
    await other.stop();
  }
});
