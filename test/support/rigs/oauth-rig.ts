// Shared by the tests of section 5: registrations, requests to the token endpoint and to the sign-in page, and keys.
import { scryptSync } from 'node:crypto';

import { exportJWK, generateKeyPair, type CryptoKey, type JWK } from 'jose';

import { SecretText } from '../../../src/lib/secret-text.ts';
import type { HashedSecret } from '../../../src/service/oauth/hashed-secret.ts';
import type { ServiceClient, ServiceUser } from '../../../src/service/oauth/registrations.ts';
import { jsonOf, type Received, type ServiceUnderTest } from '../servers/alerts-service.ts';

export const publicURL = 'http://service.test';
export const tokenTarget = '/common/oauth2/token';
export const authorizeTarget = '/common/oauth2/authorize';

export const operator = { id: 'operator', secret: 's3cret' };
export const reader = { id: 'reader', secret: 'r3ader' };
export const user = { name: 'ada@example.com', password: 'correct horse' };
export const portalURI = 'https://portal.example/callback?app=1';

export interface KeyPair {
  readonly privateKey: CryptoKey;
  readonly publicJWK: JWK;
}

export async function newKeyPair(algorithm = 'ES256'): Promise<KeyPair> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  return { privateKey, publicJWK: { ...(await exportJWK(publicKey)), alg: algorithm } };
}

/** A client of every kind; `robot` has the key. */
export function clientsWith(robotKey?: JWK): readonly ServiceClient[] {
  return [
    { id: operator.id, secret: new SecretText(operator.secret) },
    { id: reader.id, secret: new SecretText(reader.secret), scopes: ['alerts.read'] },
    { id: 'portal', redirectURIs: [portalURI] },
    { id: 'tools', redirectURIs: ['http://127.0.0.1/callback', 'https://tools.example/'] },
    { id: 'viewer', redirectURIs: [portalURI], scopes: ['alerts.read'] },
    { id: 'robot', ...(robotKey && { keys: [robotKey] }) },
  ];
}

/** A hash that takes no time. */
export function quickHash(secret: string): HashedSecret {
  const salt = Buffer.alloc(16, secret);
  return { cost: { ln: 4, r: 1, p: 1 }, salt, key: scryptSync(secret, salt, 32, { N: 16, r: 1, p: 1 }) };
}

export const users: readonly ServiceUser[] = [
  { name: user.name, passwordHash: quickHash(user.password) },
  { name: 'bob', passwordHash: quickHash('b0b'), scopes: ['alerts.read'] },
];

const form = { 'content-type': 'application/x-www-form-urlencoded', authorization: '' };

export function askToken(service: ServiceUnderTest, members: Record<string, string>): Promise<Received> {
  const body = new URLSearchParams(members).toString();
  return service.send({ method: 'POST', target: tokenTarget, headers: form, body });
}

export async function tokenOf(service: ServiceUnderTest, client: typeof operator): Promise<string> {
  const members = { grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret };
  return (jsonOf(await askToken(service, members)) as { access_token: string }).access_token;
}

/** The sign-in form, filled in and sent as a browser does. */
export function sendForm(service: ServiceUnderTest, members: Record<string, string>, headers = {}): Promise<Received> {
  const { target, body } = signInForm(members);
  return service.send({ method: 'POST', target, headers: { ...form, ...headers }, body });
}

/** The form has fields of its own, and is sent to the URL of its page, which has all other members. */
export function signInForm(members: Record<string, string>): { readonly target: string; readonly body: string } {
  const fields = new Set(['username', 'password', 'decision']);
  const [filled, asked] = [true, false].map((isField) =>
    new URLSearchParams(Object.entries(members).filter(([name]) => fields.has(name) === isField)).toString(),
  );
  return { target: `${authorizeTarget}?${asked}`, body: filled ?? '' };
}

/** The fragment of the address that a response redirects to. */
export function fragmentOf(received: Received): Record<string, string> {
  const [, fragment = ''] = String(received.headers['location']).split('#');
  return Object.fromEntries(new URLSearchParams(fragment));
}

/** A token without a signature, whose header says that it needs none. */
export function unsigned(token: string): string {
  const [, payload] = token.split('.');
  const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');
  return `${header}.${payload}.`;
}
