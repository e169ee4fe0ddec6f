import { generateKeyPairSync } from 'node:crypto';

import type { JWK } from 'jose';
import { expect, test } from 'vitest';

import { unusableKeys } from '../../../../src/service/oauth/token/usable-keys.ts';

const rsa = (modulusLength: number) =>
  generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' }) as JWK;
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' }) as JWK;
const ed25519 = () => generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) as JWK;
const x25519 = () => generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' }) as JWK;

const usable = [
  rsa(2048),
  { ...rsa(2048), alg: 'PS256' },
  ec('P-256'),
  ec('P-521'),
  ed25519(),
  { ...ec('P-384'), key_ops: ['verify'] },
];

test.each<[string, JWK]>([
  ['an RSA key of 1024 bits', rsa(1024)],
  ['an RSA key for RS512', { ...rsa(2048), alg: 'RS512' }],
  ['a key of the curve secp256k1', ec('secp256k1')],
  ['a key for key agreement', x25519()],
  ['a key that may not verify', { ...ec('P-256'), key_ops: ['encrypt'] }],
])('%s can verify no assertion', (_, key) => {
  expect(unusableKeys({ id: 'robot', keys: [...usable, key] })).toEqual([usable.length]);
});
