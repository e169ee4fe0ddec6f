// Access tokens by themselves: which texts are accepted, how long they are valid, and what is remembered of them.
import { SignJWT, type JWTPayload } from 'jose';
import { expect, test } from 'vitest';

import { createLogger } from '../../../../src/lib/log.ts';
import { systemSecrets } from '../../../../src/lib/secret-text.ts';
import { openDatabase } from '../../../../src/service/database/open-database.ts';
import { createAccessTokens, type TokenGrant } from '../../../../src/service/oauth/keys/access-tokens.ts';
import { openSigningKeys } from '../../../../src/service/oauth/keys/signing-keys.ts';
import { newKeyPair, unsigned } from '../../../support/rigs/oauth-rig.ts';
import { handClock } from '../../../support/servers/alerts-service.ts';

const grant: TokenGrant = { subject: 'a', subjectType: 'client', clientID: 'a', scopes: ['alerts.read'] };
const here = 'https://alerts.example';

/** `undefined` leaves a claim or a member of the header out. */
interface Change {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: Parameters<SignJWT['sign']>[0];
}

async function rig({ lifetimeMs = 60_000 } = {}) {
  const clock = handClock();
  const lines: string[] = [];
  const keys = await openSigningKeys(openDatabase(undefined).sql, clock);
  const tokens = createAccessTokens({
    keys,
    publicURL: () => here,
    lifetimeMs,
    clock,
    newSecret: systemSecrets,
    log: createLogger({ level: 'debug', format: 'json', sink: { write: (line) => void lines.push(line) } }),
  });
  const check = (text: string) => tokens.check(text, text, undefined);
  const issue = async (wanted: Partial<TokenGrant> = {}) => (await tokens.issue({ ...grant, ...wanted })).text;
  const nowSeconds = Math.floor(clock.now() / 1000);
  const own = await keys.current();
  /** Signed with the key of the service, unless the change has another one. */
  const forge = ({ claims = {}, header = {}, key = own.privateKey }: Change = {}) => {
    const times = { iat: nowSeconds, exp: nowSeconds + 60, jti: 'forged' };
    const good = {
      iss: here,
      aud: here,
      sub: 'a',
      client_id: 'a',
      subject_type: 'client',
      scope: 'alerts.read',
      ...times,
    };
    return new SignJWT(JSON.parse(JSON.stringify({ ...good, ...claims })) as JWTPayload)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: own.id, ...header })
      .sign(key);
  };
  return { clock, tokens, check, issue, forge, own, nowSeconds, lines };
}

test.each<[string, Partial<TokenGrant>]>([
  ['a client', {}],
  ['a user', { subject: 'ada', subjectType: 'user', scopes: ['user_impersonation', 'alerts.read'] }],
])('a token returns the grant of %s, also when it is recalled', async (_, wanted) => {
  const { tokens, check, issue } = await rig();
  const text = await issue(wanted);
  expect(tokens.recall(text)).toBeUndefined();
  expect(await check(text)).toStrictEqual({ ...grant, ...wanted });
  expect(tokens.recall(text)).toStrictEqual({ ...grant, ...wanted });
});

test('a token is valid until its lifetime has passed, verified or recalled', async () => {
  const { clock, tokens, check, issue } = await rig();
  const [seen, unseen] = [await issue(), await issue()];
  await check(seen);
  clock.advance(59_999);
  expect(tokens.recall(seen)).toEqual(grant);
  clock.advance(1);
  expect([tokens.recall(seen), await check(unseen)]).toEqual(['stale', 'stale']);
});

test('the lifetime is announced in whole seconds', async () => {
  const { tokens } = await rig({ lifetimeMs: 61_999 });
  expect((await tokens.issue(grant)).lifetimeSeconds).toBe(61);
});

test('a text longer than any issued token is not verified, even one that this service signed', async () => {
  const { check, issue } = await rig();
  expect(await check(await issue({ subject: 'a'.repeat(4096) }))).toBe('foreign');
});

test('a token like those below, but good, is accepted: none of them is refused for something else', async () => {
  const { check, forge, nowSeconds } = await rig();
  expect(await check(await forge())).toEqual(grant);
  // Of a process whose clock is ahead.
  expect(await check(await forge({ claims: { iat: nowSeconds + 30 } }))).toEqual(grant);
  expect(await check(await forge({ claims: { scope: 'everything' } }))).toEqual({ ...grant, scopes: [] });
});

test.each<[string, (nowSeconds: number) => Change, string]>([
  ['that has expired', (now) => ({ claims: { exp: now } }), 'ERR_JWT_EXPIRED'],
  ['that is not good yet', (now) => ({ claims: { nbf: now + 60 } }), 'nbf check_failed'],
  ['from the future', (now) => ({ claims: { iat: now + 31 } }), 'iat check_failed'],
  ['without an end', () => ({ claims: { exp: undefined } }), 'exp missing'],
  ['for another service', () => ({ claims: { aud: 'https://other.example' } }), 'aud check_failed'],
  ['of another issuer', () => ({ claims: { iss: 'https://other.example' } }), 'iss check_failed'],
  ['without a scope', () => ({ claims: { scope: undefined } }), 'scope missing'],
  ['without a kind of subject', () => ({ claims: { subject_type: undefined } }), 'subject_type missing'],
  ['without a client', () => ({ claims: { client_id: undefined } }), 'client_id missing'],
  ['without an audience', () => ({ claims: { aud: undefined } }), 'aud missing'],
  ['without a subject', () => ({ claims: { sub: undefined } }), 'sub missing'],
  ['without an id', () => ({ claims: { jti: undefined } }), 'jti missing'],
  ['that is another kind of JWT', () => ({ header: { typ: 'JWT' } }), 'typ check_failed'],
])('a token %s, which this service signed, is stale', async (_, change, reason) => {
  const { check, tokens, forge, nowSeconds, lines } = await rig();
  const text = await forge(change(nowSeconds));
  expect([await check(text), tokens.recall(text)]).toEqual(['stale', undefined]);
  expect(lines.map((line) => (JSON.parse(line) as { reason: string }).reason)).toEqual([reason]);
});

test.each<[string, (made: Awaited<ReturnType<typeof rig>>) => string | Promise<string>, RegExp]>([
  ['has three parts that are no JSON', () => 'not.at-all.JSON', /ERR_JWS_INVALID/],
  ['names an unknown key', ({ forge }) => forge({ header: { kid: 'unknown' } }), /unknown key/],
  ['has no signature (alg: none)', async ({ issue }) => unsigned(await issue()), /ERR_JOSE_ALG_NOT_ALLOWED/],
  [
    'another key signed',
    async ({ forge }) => forge({ key: (await newKeyPair()).privateKey }),
    /SIGNATURE_VERIFICATION/,
  ],
  [
    'is signed with our public key as a shared secret (HS256)',
    ({ forge, own }) => forge({ header: { alg: 'HS256' }, key: Buffer.from(JSON.stringify(own.publicJWK)) }),
    /ERR_JOSE_ALG_NOT_ALLOWED/,
  ],
  [
    'has claims that were changed after signing',
    async ({ issue, forge }) => (await issue()).replace(/\..*\./, `.${(await forge()).split('.')[1]}.`),
    /SIGNATURE_VERIFICATION/,
  ],
])('a text that %s is foreign, and the log has the reason and nothing of it', async (_, make, reason) => {
  const made = await rig();
  const text = await make(made);
  expect(await made.check(text)).toBe('foreign');
  expect(made.lines).toEqual([expect.stringMatching(reason)]);
  expect(made.lines[0]).not.toContain(text.split('.')[1] ?? text);
});
