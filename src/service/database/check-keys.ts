// The part of the check that reads the signing keys: a start refuses a key that is not what the service wrote.
import { createPrivateKey, hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';

import { cleanText } from '../../lib/clean-text.ts';
import { isObject, parseJson } from '../../lib/json-shape.ts';
import { hasTable } from './has-table.ts';

/** One sentence for each key that is not sound. */
export function checkSigningKeys(database: DatabaseSync): readonly string[] {
  if (!hasTable(database, 'signing_key')) return [];
  const rows = database.prepare('SELECT id, jwk FROM signing_key ORDER BY id').all();
  return rows
    .filter(({ id, jwk }) => !isSound(String(id), String(jwk)))
    .map(({ id }) => `The signing key ${cleanText(String(id))} is not what the service wrote.`);
}

/** The id is the thumbprint of the public key (RFC 7638). Node refuses a private key that belongs to another public one. */
function isSound(id: string, text: string): boolean {
  const jwk = parseJson(text);
  if (!isObject(jwk)) return false;
  const { crv, kty, x, y } = jwk;
  if (hash('sha256', JSON.stringify({ crv, kty, x, y }), 'base64url') !== id) return false;
  try {
    createPrivateKey({ key: jwk, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}
