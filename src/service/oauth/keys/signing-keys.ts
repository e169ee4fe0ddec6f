// The keys that sign access tokens: generated on demand, stored in the data file (mode 0600), replaced after 30 days, and
// published until the last token that they signed has expired.
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from 'jose';

import type { Clock } from '../../../lib/clock.ts';
import type { Sql } from '../../database/sql.ts';

/** ECDSA on P-256 with SHA-256 (RFC 7518): short tokens, and every JOSE library supports it. */
export const signingAlgorithm = 'ES256';

/** Time that a key signs, in milliseconds. */
const signingPeriodMs = 30 * 86_400_000;

/** Longer than the lifetime of any token; `decode-options.ts` allows at most a day. */
const publishedAfterMs = 2 * 86_400_000;

export interface SigningKey {
  readonly id: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly publicJWK: JWK;
  readonly createdAtMs: number;
}

export interface SigningKeys {
  /** The key to sign with now. */
  current(): Promise<SigningKey>;
  /** Undefined when no key with this id can have signed a token that is still valid. */
  find(id: string): SigningKey | undefined;
  /** The JWK set of RFC 7517, with public keys only. */
  publicSet(): { keys: readonly JWK[] };
}

export async function openSigningKeys(sql: Sql, clock: Clock): Promise<SigningKeys> {
  const keys = await Promise.all((await readKeys(sql)).map(importKey));
  let making: Promise<SigningKey> | undefined;

  const isUsable = ({ createdAtMs }: SigningKey) => {
    const ageMs = clock.now() - createdAtMs;
    return ageMs < signingPeriodMs + publishedAfterMs;
  };
  const signsNow = ({ createdAtMs }: SigningKey) => Math.abs(clock.now() - createdAtMs) < signingPeriodMs;

  const make = async () => {
    const { jwk, id } = await generateKey();
    const row = { id, jwk: JSON.stringify(jwk), createdAtMs: clock.now() };
    await addKey(sql, row, row.createdAtMs - signingPeriodMs - publishedAfterMs);
    const key = await importKey(row);
    keys.splice(0, keys.length, ...keys.filter(isUsable), key);
    return key;
  };

  return {
    async current() {
      const key = keys.findLast(signsNow);
      if (key) return key;
      making ??= make().finally(() => (making = undefined));
      return making;
    },
    find: (id) => keys.find((key) => key.id === id && isUsable(key)),
    publicSet: () => ({ keys: keys.filter(isUsable).map(({ publicJWK }) => publicJWK) }),
  };
}

interface KeyRow {
  readonly id: string;
  /** The private key as a JWK. */
  readonly jwk: string;
  readonly createdAtMs: number;
}

async function generateKey(): Promise<{ jwk: JWK; id: string }> {
  const { privateKey } = await generateKeyPair(signingAlgorithm, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { jwk, id: await calculateJwkThumbprint(jwk) };
}

async function importKey({ id, jwk, createdAtMs }: KeyRow): Promise<SigningKey> {
  const { d, ...rest } = JSON.parse(jwk) as JWK;
  const publicJWK: JWK = { ...rest, kid: id, alg: signingAlgorithm, use: 'sig' };
  const privateKey = (await importJWK({ ...rest, ...(d !== undefined && { d }) }, signingAlgorithm)) as CryptoKey;
  const publicKey = (await importJWK(publicJWK, signingAlgorithm)) as CryptoKey;
  return { id, privateKey, publicKey, publicJWK, createdAtMs };
}

/** The oldest first. */
async function readKeys(sql: Sql): Promise<readonly KeyRow[]> {
  const rows = await sql.query('SELECT id, jwk, created_at_ms FROM signing_key ORDER BY created_at_ms, id');
  return rows.map((row) => ({
    id: String(row['id']),
    jwk: String(row['jwk']),
    createdAtMs: Number(row['created_at_ms']),
  }));
}

/** Adds a key, and drops those that were created at `droppedUntilMs` or before. */
function addKey(sql: Sql, { id, jwk, createdAtMs }: KeyRow, droppedUntilMs: number): Promise<void> {
  return sql.transaction(async (tx) => {
    await tx.query('DELETE FROM signing_key WHERE created_at_ms <= $1', [droppedUntilMs]);
    await tx.query('INSERT INTO signing_key (id, jwk, created_at_ms) VALUES ($1, $2, $3)', [id, jwk, createdAtMs]);
  });
}
