// The keys that sign access tokens: generated on demand, stored in the database, replaced after 30 days, and published until the last
// token that they signed has expired. All processes of one database share them.
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from 'jose';

import { cleanText } from '../../../lib/clean-text.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { MaybePromise } from '../../../lib/maybe-promise.ts';
import { DataFileError } from '../../database/data-file-error.ts';
import type { Sql, SqlQueries } from '../../database/sql.ts';

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
  /** Undefined when no key with this id can have signed a token that is still valid. Synchronous for a key that was used before. */
  find(id: string): MaybePromise<SigningKey | undefined>;
  /** True for the id of a key that this process has read. Never asks the database. */
  hasRead(id: string): boolean;
  /** The JWK set of RFC 7517, with public keys only. Asks the database at most every five seconds. */
  publicSet(): Promise<{ keys: readonly JWK[] }>;
}

/** Maximum age of the published keys: another process may have made one. */
const readAgainAfterMs = 5000;

/** The id of a key is its thumbprint (RFC 7638). */
const idForm = /^[A-Za-z0-9_-]{43}$/;

export async function openSigningKeys(sql: Sql, clock: Clock): Promise<SigningKeys> {
  /** Those that this process has read, the oldest first. Another process may have made more. */
  let keys: readonly SigningKey[] = [];
  let making: Promise<SigningKey | undefined> | undefined;
  let reading: Promise<void> | undefined;
  let readAtMs = -Infinity;

  const isUsable = ({ createdAtMs }: Pick<KeyRow, 'createdAtMs'>) => {
    const ageMs = clock.now() - createdAtMs;
    return ageMs < signingPeriodMs + publishedAfterMs;
  };
  const signsNow = ({ createdAtMs }: Pick<KeyRow, 'createdAtMs'>) =>
    Math.abs(clock.now() - createdAtMs) < signingPeriodMs;
  const known = (id: string) => keys.find((key) => key.id === id && isUsable(key));

  const read = async () => {
    const startedMs = clock.monotonic();
    const rows = (await readKeys(sql)).filter(isUsable);
    keys = await Promise.all(rows.map(async (row) => known(row.id) ?? importKey(row)));
    readAtMs = startedMs;
  };

  const make = async () => {
    const { jwk, id } = await generateKey();
    const row = { id, jwk: JSON.stringify(jwk), createdAtMs: clock.now() };
    const droppedUntilMs = row.createdAtMs - signingPeriodMs - publishedAfterMs;
    await sql.transaction(async (tx) => {
      // Another process may have made one meanwhile.
      if (!(await readKeys(tx)).some(signsNow)) await addKey(tx, row, droppedUntilMs);
    });
    await read();
    return keys.findLast(signsNow);
  };

  await read();
  return {
    async current() {
      const key = keys.findLast(signsNow) ?? (await (making ??= make().finally(() => (making = undefined))));
      if (key) return key;
      throw new Error('The clock was set while a signing key was made.');
    },
    hasRead: (id) => known(id) !== undefined,
    find: (id) => known(id) ?? (idForm.test(id) ? read().then(() => known(id)) : undefined),
    async publicSet() {
      if (clock.monotonic() - readAtMs >= readAgainAfterMs) {
        await (reading ??= read().finally(() => (reading = undefined)));
      }
      return { keys: keys.filter(isUsable).map(({ publicJWK }) => publicJWK) };
    },
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

/** Throws `data-file-damaged` for a row that is not what `make` wrote. */
function importKey(row: KeyRow): Promise<SigningKey> {
  return importSoundKey(row).catch(() => {
    // Without the cause, whose message may quote the key.
    throw new DataFileError(
      'data-file-damaged',
      `The store is damaged in the signing key ${cleanText(row.id)}. Restore a backup.`,
    );
  });
}

async function importSoundKey({ id, jwk, createdAtMs }: KeyRow): Promise<SigningKey> {
  const { d, ...rest } = JSON.parse(jwk) as JWK;
  if ((await calculateJwkThumbprint(rest)) !== id) throw new Error('another key');
  const publicJWK: JWK = { ...rest, kid: id, alg: signingAlgorithm, use: 'sig' };
  const privateKey = (await importJWK({ ...rest, ...(d !== undefined && { d }) }, signingAlgorithm)) as CryptoKey;
  const publicKey = (await importJWK(publicJWK, signingAlgorithm)) as CryptoKey;
  return { id, privateKey, publicKey, publicJWK, createdAtMs };
}

/** The oldest first. */
async function readKeys(sql: SqlQueries): Promise<readonly KeyRow[]> {
  const rows = await sql.query('SELECT id, jwk, created_at_ms FROM signing_key ORDER BY created_at_ms, id');
  return rows.map((row) => ({
    id: String(row['id']),
    jwk: String(row['jwk']),
    createdAtMs: Number(row['created_at_ms']),
  }));
}

/** Adds a key, and drops those that were created at `droppedUntilMs` or before. */
async function addKey(tx: SqlQueries, { id, jwk, createdAtMs }: KeyRow, droppedUntilMs: number): Promise<void> {
  await tx.query('DELETE FROM signing_key WHERE created_at_ms <= $1', [droppedUntilMs]);
  await tx.query('INSERT INTO signing_key (id, jwk, created_at_ms) VALUES ($1, $2, $3)', [id, jwk, createdAtMs]);
}
