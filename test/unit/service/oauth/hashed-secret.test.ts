import { scryptSync } from 'node:crypto';

import { expect, test } from 'vitest';

import { deriveKey, hashNewSecret, parseHashedSecret } from '../../../../src/service/oauth/hashed-secret.ts';
import { isSameHash } from '../../../../src/service/oauth/secret-hash.ts';

test('a hash can be parsed, is of the secret, and is never the same twice', async () => {
  const [one, other] = [await hashNewSecret('s3cret'), await hashNewSecret('s3cret')];
  expect(one).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(one).not.toBe(other);
  const parsed = parseHashedSecret(one);
  if ('problem' in parsed) throw new Error(parsed.problem);
  expect(isSameHash(parsed.key, await deriveKey('s3cret', parsed))).toBe(true);
  expect(isSameHash(parsed.key, await deriveKey('S3cret', parsed))).toBe(false);
});

const part = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replaceAll('=', '');
const salt = Buffer.alloc(16, 7);
const format = (cost: string, { salted = salt, key = Buffer.alloc(32) } = {}) =>
  `$scrypt$${cost}$${part(salted)}$${part(key)}`;

test('a hash of another program with the same parameters is accepted', async () => {
  const key = scryptSync('s3cret', salt, 32, { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 27 });
  const parsed = parseHashedSecret(format('ln=15,r=8,p=3', { key }));
  if ('problem' in parsed) throw new Error(parsed.problem);
  expect(isSameHash(parsed.key, await deriveKey('s3cret', parsed))).toBe(true);
});

const shape = 'must be a hash that rolealerts serve hash prints';
const cost = 'has a cost out of bounds: hash it with rolealerts serve hash';
test.each([
  ['another algorithm', '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$aGFzaA', shape],
  ['a short salt', format('ln=14,r=8,p=5', { salted: Buffer.alloc(15) }), shape],
  ['a long salt', format('ln=14,r=8,p=5', { salted: Buffer.alloc(65) }), shape],
  ['a short key', format('ln=14,r=8,p=5', { key: Buffer.alloc(31) }), shape],
  ['text after it', `${format('ln=14,r=8,p=5')}\n`, shape],
  ['a cost that is too low', format('ln=13,r=8,p=1'), cost],
  ['a cost that takes too long', format('ln=14,r=8,p=9'), cost],
  ['a cost that takes too much memory', format('ln=17,r=8,p=1'), cost],
])('%s is refused', (_, text, problem) => {
  expect(parseHashedSecret(text)).toEqual({ problem });
});
