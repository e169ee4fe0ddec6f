// Assertions by themselves (RFC 7523): the bounds of their times and ids, and that each is valid once.
import { SignJWT, type CryptoKey, type JWTPayload } from 'jose';
import { expect, test } from 'vitest';

import { silentLogger } from '../../../../src/lib/log.ts';
import { openDatabase } from '../../../../src/service/database/open-database.ts';
import { createRegistrations } from '../../../../src/service/oauth/registrations.ts';
import { createAssertions } from '../../../../src/service/oauth/token/assertions.ts';
import { newKeyPair, unsigned } from '../../../support/rigs/oauth-rig.ts';
import { handClock } from '../../../support/servers/alerts-service.ts';

const [key, otherKey] = [await newKeyPair(), await newKeyPair()];
const trust = { issuer: 'https://cluster', subject: 'team', audience: 'api', keys: { file: '/none' } };
const clients = [
  { id: 'robot', keys: [key.publicJWK] },
  { id: 'other', keys: [otherKey.publicJWK] },
  { id: 'keyless', keys: [] },
  { id: 'trusting', federated: [trust] },
];
const audience = 'https://alerts.example';

function rig() {
  const clock = handClock();
  const { sql } = openDatabase(undefined);
  const assertions = createAssertions({
    sql,
    registrations: createRegistrations({ clients, users: [] }),
    issuerKeys: { verify: () => Promise.reject(new Error('no client trusts an issuer here')) },
    audiences: () => [audience, `${audience}/token`],
    clock,
    log: silentLogger,
  });
  const nowSeconds = () => clock.now() / 1000;
  const sign = (claims: JWTPayload = {}, { id, privateKey, alg = 'ES256' }: Signer = robot) =>
    new SignJWT(
      JSON.parse(
        JSON.stringify({
          iss: id,
          sub: id,
          aud: audience,
          exp: nowSeconds() + 60,
          jti: crypto.randomUUID(),
          ...claims,
        }),
      ) as JWTPayload,
    )
      .setProtectedHeader({ alg })
      .sign(privateKey);
  const redeem = async (text: string) => {
    const outcome = await assertions.redeem(text, undefined);
    if ('error' in outcome) return outcome.error;
    return 'id' in outcome ? outcome.id : (outcome.problem ?? 'unverified');
  };
  const rows = () => sql.query('SELECT jti FROM used_assertion ORDER BY jti');
  return { clock, assertions, nowSeconds, sign, redeem, rows };
}

interface Signer {
  readonly id: string;
  readonly privateKey: CryptoKey | Uint8Array;
  readonly alg?: string;
}

const robot: Signer = { id: 'robot', privateKey: key.privateKey };
const other = { id: 'other', privateKey: otherKey.privateKey };
const tooLong = 'The assertion must end (exp) within 600 seconds.';
const inFuture = 'The assertion is issued (iat) in the future; a clock may be 30 seconds ahead.';
const hasEnded = 'The assertion must end (exp) in the future; a clock may be 30 seconds behind.';
const notYet = 'The assertion is not valid yet (nbf); a clock may be 30 seconds ahead.';
const elsewhere = 'The assertion must be for this service (aud): for its base URL or its token endpoint.';
const noID = 'The assertion needs an id (jti) of 1 to 255 characters, none of them a control character.';

test.each<[string, (nowSeconds: number) => JWTPayload, string]>([
  ['that ends in ten minutes, by a clock half a minute ahead', (now) => ({ exp: now + 630 }), 'robot'],
  ['that ends later', (now) => ({ exp: now + 631 }), tooLong],
  ['that ended less than half a minute ago', (now) => ({ exp: now - 29 }), 'robot'],
  ['that ended half a minute ago', (now) => ({ exp: now - 30 }), hasEnded],
  ['that never ends', () => ({ exp: undefined as never }), hasEnded],
  ['valid later', (now) => ({ nbf: now + 31 }), notYet],
  ['issued by a clock half a minute ahead', (now) => ({ iat: now + 30 }), 'robot'],
  ['issued later', (now) => ({ iat: now + 31 }), inFuture],
  ['with an id of 255 characters', () => ({ jti: 'x'.repeat(255) }), 'robot'],
  ['with a longer id', () => ({ jti: 'x'.repeat(256) }), noID],
  ['without an id', () => ({ jti: undefined as never }), noID],
  ['with an id that is a list', () => ({ jti: ['a'] as never }), noID],
  ['with NUL in its id, which PostgreSQL cannot store', () => ({ jti: 'a\0b' }), noID],
  ['for another service too', () => ({ aud: ['https://other.example', audience] }), 'robot'],
  ['for another service', () => ({ aud: 'https://other.example' }), elsewhere],
  ['for no service', () => ({ aud: undefined as never }), elsewhere],
  ['about another subject', () => ({ sub: 'other' }), 'The assertion must name the client as iss and as sub.'],
  ['of a client that another key belongs to', () => ({ iss: 'other', sub: 'other' }), 'unverified'],
  ['of a client that is not registered', () => ({ iss: 'gone', sub: 'gone' }), 'unverified'],
])('an assertion %s: the answer', async (_, claims, expected) => {
  const { nowSeconds, sign, redeem } = rig();
  expect(await redeem(await sign(claims(nowSeconds())))).toBe(expected);
});

test('an assertion that the key of its client did not sign is unverified', async () => {
  const { sign, redeem } = rig();
  const shared = { id: 'robot', privateKey: Buffer.from(JSON.stringify(key.publicJWK)), alg: 'HS256' };
  const texts = [await sign({}, { ...other, id: 'robot' }), unsigned(await sign()), await sign({}, shared), 'x.y.z'];
  for (const text of texts) expect(await redeem(text)).toBe('unverified');
});

test('an assertion is valid once, as long as it could be valid at all', async () => {
  const { clock, sign, redeem } = rig();
  const text = await sign();
  expect(await redeem(text)).toBe('robot');
  expect(await redeem(text)).toBe('The assertion was used before (jti).');
  clock.advance(89_999);
  expect(await redeem(text)).toBe('The assertion was used before (jti).');
  clock.advance(1);
  expect(await redeem(text)).toBe(hasEnded);
});

test('two clients may use the same id', async () => {
  const { sign, redeem } = rig();
  expect(await redeem(await sign({ jti: 'one' }))).toBe('robot');
  expect(await redeem(await sign({ jti: 'one' }, other))).toBe('other');
});

test('a refused assertion is not used up, and an ended one is not remembered', async () => {
  const { clock, nowSeconds, sign, redeem, rows } = rig();
  await redeem(await sign({ jti: 'refused', exp: nowSeconds() + 3600 }));
  await redeem(await sign({ jti: 'first' }));
  clock.advance(90_000);
  await redeem(await sign({ jti: 'second' }));
  expect(await rows()).toEqual([{ jti: 'first' }, { jti: 'second' }]);
  clock.advance(1000);
  await redeem(await sign({ jti: 'third' }));
  expect(await rows()).toEqual([{ jti: 'second' }, { jti: 'third' }]);
});

test('the client that a text names is known without its signature, and empty for any other text', async () => {
  const { assertions, sign } = rig();
  const text = await sign();
  expect(assertions.clientNamedBy(text.replace(/[^.]*$/, 'forged'))).toBe('robot');
  const others = ['', 'a.b.c', await sign({ iss: 1 as never })];
  expect(others.map((each) => assertions.clientNamedBy(each))).toEqual(['', '', '']);
});

test('a subject of an issuer names its client, and another subject only the issuer, so that neither closes the other', async () => {
  const { assertions, sign } = rig();
  const { issuer: iss, subject } = trust;
  expect(assertions.clientNamedBy(await sign({ iss, sub: subject }))).toBe('trusting');
  expect(assertions.clientNamedBy(await sign({ iss, sub: 'other' }))).toBe(iss);
  expect(assertions.clientNamedBy(await sign({ iss, sub: 1 as never }))).toBe(iss);
});
