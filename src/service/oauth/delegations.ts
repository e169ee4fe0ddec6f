// What users have delegated to clients by signing in: first an authorization code, which works once and for a minute, then refresh
// tokens, each of which works once (RFC 9700 section 2.2.2). A second use of either shows that a copy of it is out, and revokes the
// delegation with all of its tokens. The tables hold hashes, so they reveal no code and no token.
import type { Clock } from '../../lib/clock.ts';
import { stringOf } from '../../lib/json-shape.ts';
import type { SecretSource } from '../../lib/secret-source.ts';
import type { Sql, SqlQueries, SqlRow } from '../database/sql.ts';
import { isVerifierOf } from './pkce.ts';
import type { Revocations } from './revocations.ts';
import { isOAuthScope, type OAuthScope } from './scopes.ts';
import { hashSecret } from './secret-hash.ts';

/** RFC 9700 and OAuth 2.1 recommend at most a minute or ten; programs redeem a code at once. */
const codeLifeMs = 60_000;

/** Time after a sign-in that its refresh tokens work, whatever their number. */
const delegationLifeMs = 7 * 86_400_000;

/** Used refresh tokens of a delegation that are kept to detect a second use. */
const usedTokensKept = 100;

export interface Delegation {
  readonly id: string;
  readonly clientID: string;
  readonly userName: string;
  readonly scopes: readonly OAuthScope[];
  /** That of the password of the sign-in (password-marks.ts). Undefined for one of an earlier version. */
  readonly passwordMark: string | undefined;
}

/** A user's approval of an authorization request. */
export interface Approval extends Omit<Delegation, 'id'> {
  /** As in the request; undefined when the request left it out. */
  readonly redirectURI: string | undefined;
  readonly codeChallenge: string;
}

/** What a client sends with a code. */
export interface CodeProof {
  readonly clientID: string;
  readonly redirectURI: string | undefined;
  readonly codeVerifier: string | undefined;
}

export interface Continued {
  readonly delegation: Delegation;
  /** The next refresh token. */
  readonly refreshToken: string;
}

export interface Delegations {
  /** Records the approval, and returns its code. */
  approve(approval: Approval): Promise<string>;
  /** True for a code that the client was given, used or not, as long as its delegation is kept. */
  isCodeOf(clientID: string, code: string): Promise<boolean>;
  /** Undefined when the code or the proof is wrong. A code is used up by any attempt of its client. */
  redeemCode(code: string, proof: CodeProof): Promise<Continued | undefined>;
  /** The delegation of a refresh token, used or not, that has not ended. */
  find(refreshToken: string): Promise<Delegation | undefined>;
  /** Uses up the refresh token. Undefined when it was used before; then the delegation is revoked. */
  rotate(refreshToken: string): Promise<Continued | undefined>;
  revoke(id: string): Promise<void>;
}

export interface DelegationsDeps {
  readonly sql: Sql;
  readonly revocations: Pick<Revocations, 'revoke'>;
  readonly clock: Clock;
  readonly newSecret: SecretSource;
}

export function createDelegations({ sql, revocations, clock, newSecret }: DelegationsDeps): Delegations {
  /** The access tokens and the delegation together: left alone, its refresh token would work again once the revocation has ended. */
  const revoke = (id: string) => revocations.revoke(id, (tx) => tx.query('DELETE FROM delegation WHERE id = $1', [id]));

  const nextToken = async (tx: SqlQueries, delegation: Delegation, generation: number): Promise<Continued> => {
    const refreshToken = newSecret().reveal();
    await addToken(tx, { hash: hashOf(refreshToken), delegationID: delegation.id, generation });
    return { delegation, refreshToken };
  };

  return {
    async approve(approval) {
      const code = newSecret().reveal();
      const nowMs = clock.now();
      await sql.query('DELETE FROM delegation WHERE ends_at_ms <= $1', [nowMs]);
      await addDelegation(
        sql,
        { id: newSecret().reveal(), codeHash: hashOf(code), endsAtMs: nowMs + codeLifeMs },
        approval,
      );
      return code;
    },

    async isCodeOf(clientID, code) {
      return (await findCode(sql, hashOf(code)))?.['client_id'] === clientID;
    },

    async redeemCode(code, { clientID, redirectURI, codeVerifier }) {
      const row = await findCode(sql, hashOf(code));
      if (row?.['client_id'] !== clientID) return undefined;
      const delegation = delegationOf(row);
      const nowMs = clock.now();
      const isInTime = Number(row['ends_at_ms']) > nowMs;
      const isSameURI = row['redirect_uri'] === (redirectURI ?? '');
      const isProved = isInTime && isSameURI && isVerifierOf(String(row['code_challenge']), codeVerifier);
      const first = await sql.transaction(async (tx) => {
        const isFirst = isProved && (await useCode(tx, delegation.id, nowMs + delegationLifeMs));
        return isFirst ? nextToken(tx, delegation, 1) : undefined;
      });
      if (!first) await revoke(delegation.id);
      return first;
    },

    async find(refreshToken) {
      const row = await findToken(sql, hashOf(refreshToken));
      return row && Number(row['ends_at_ms']) > clock.now() ? delegationOf(row) : undefined;
    },

    async rotate(refreshToken) {
      const hash = hashOf(refreshToken);
      const row = await findToken(sql, hash);
      if (!row) return undefined;
      const delegation = delegationOf(row);
      const next = await sql.transaction(async (tx) => {
        const used = await useToken(tx, hash);
        return used === undefined ? undefined : nextToken(tx, delegation, used + 1);
      });
      if (!next) await revoke(delegation.id);
      return next;
    },

    revoke,
  };
}

function hashOf(secret: string): string {
  return Buffer.from(hashSecret(secret)).toString('base64url');
}

function delegationOf(row: SqlRow): Delegation {
  const scopes = String(row['scopes']).split(' ').filter(isOAuthScope);
  return {
    id: String(row['id']),
    clientID: String(row['client_id']),
    userName: String(row['user_name']),
    scopes,
    passwordMark: stringOf(row['password_mark']),
  };
}

interface NewDelegation {
  readonly id: string;
  readonly codeHash: string;
  readonly endsAtMs: number;
}

async function addDelegation(
  sql: SqlQueries,
  { id, codeHash, endsAtMs }: NewDelegation,
  { clientID, userName, scopes, passwordMark, redirectURI = '', codeChallenge }: Approval,
): Promise<void> {
  await sql.query(
    `INSERT INTO delegation
       (id, client_id, user_name, scopes, password_mark, code_hash, code_challenge, redirect_uri, is_code_used, ends_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9)`,
    [id, clientID, userName, scopes.join(' '), passwordMark ?? null, codeHash, codeChallenge, redirectURI, endsAtMs],
  );
}

async function findCode(sql: SqlQueries, codeHash: string): Promise<SqlRow | undefined> {
  const [row] = await sql.query(
    `SELECT id, client_id, user_name, scopes, password_mark, code_challenge, redirect_uri, ends_at_ms
     FROM delegation WHERE code_hash = $1`,
    [codeHash],
  );
  return row;
}

/** Prolongs the delegation beyond its code; false when the code was used before. One statement, so that only one of two succeeds. */
async function useCode(sql: SqlQueries, id: string, endsAtMs: number): Promise<boolean> {
  const used = await sql.query(
    'UPDATE delegation SET is_code_used = 1, ends_at_ms = $2 WHERE id = $1 AND is_code_used = 0 RETURNING id',
    [id, endsAtMs],
  );
  return used.length > 0;
}

interface RefreshTokenRow {
  readonly hash: string;
  readonly delegationID: string;
  readonly generation: number;
}

async function addToken(tx: SqlQueries, { hash, delegationID, generation }: RefreshTokenRow): Promise<void> {
  await tx.query('DELETE FROM refresh_token WHERE delegation_id = $1 AND generation < $2', [
    delegationID,
    generation - usedTokensKept,
  ]);
  await tx.query('INSERT INTO refresh_token (hash, delegation_id, generation, is_used) VALUES ($1, $2, $3, 0)', [
    hash,
    delegationID,
    generation,
  ]);
}

async function findToken(sql: SqlQueries, hash: string): Promise<SqlRow | undefined> {
  const [row] = await sql.query(
    `SELECT delegation.id, client_id, user_name, scopes, password_mark, ends_at_ms
     FROM refresh_token JOIN delegation ON delegation.id = delegation_id WHERE hash = $1`,
    [hash],
  );
  return row;
}

/** The generation of the token; undefined when it was used before. */
async function useToken(tx: SqlQueries, hash: string): Promise<number | undefined> {
  const [row] = await tx.query(
    'UPDATE refresh_token SET is_used = 1 WHERE hash = $1 AND is_used = 0 RETURNING generation',
    [hash],
  );
  return row && Number(row['generation']);
}
