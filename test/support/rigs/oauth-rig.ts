// Shared by the tests of section 5: registrations, requests to the token endpoint, and tokens that an attacker, or a thief of the
// signing key, would make.
import { DatabaseSync } from 'node:sqlite';

import { exportJWK, generateKeyPair, importJWK, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose';

import { SecretText } from '../../../src/lib/secret-text.ts';
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

export const users: readonly ServiceUser[] = [
  { name: user.name, password: new SecretText(user.password) },
  { name: 'bob', password: new SecretText('b0b'), scopes: ['alerts.read'] },
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

/** The private key of a stopped service, as a thief of its data file has it. */
export async function stolenKey(dataFile: string): Promise<{ id: string; privateKey: CryptoKey; publicJWK: JWK }> {
  const database = new DatabaseSync(dataFile, { readOnly: true });
  const row = database.prepare('SELECT id, jwk FROM signing_key').get() as { id: string; jwk: string };
  database.close();
  const { d: _, ...publicJWK } = JSON.parse(row.jwk) as JWK;
  return { id: row.id, privateKey: (await importJWK(JSON.parse(row.jwk) as JWK, 'ES256')) as CryptoKey, publicJWK };
}

/** An access token of the operator, good unless `claims` or `header` change it. `undefined` leaves a claim out. */
export function forgeToken(
  key: { readonly id: string; readonly privateKey: CryptoKey | Uint8Array },
  nowMs: number,
  {
    claims = {},
    header = {},
  }: { claims?: Readonly<Record<string, unknown>>; header?: Record<string, string | undefined> } = {},
): Promise<string> {
  const nowSeconds = Math.floor(nowMs / 1000);
  const good: JWTPayload = {
    iss: publicURL,
    aud: publicURL,
    sub: operator.id,
    client_id: operator.id,
    subject_type: 'client',
    scope: 'user_impersonation',
    iat: nowSeconds,
    exp: nowSeconds + 60,
    jti: 'forged',
  };
  const payload = JSON.parse(JSON.stringify({ ...good, ...claims })) as JWTPayload;
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.id, ...(header as { alg?: string }) })
    .sign(key.privateKey);
}

/** A token without a signature, whose header says that it needs none. */
export function unsigned(token: string): string {
  const [, payload] = token.split('.');
  const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');
  return `${header}.${payload}.`;
}
