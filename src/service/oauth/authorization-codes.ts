// Authorization codes (RFC 6749 section 4.1): a user approves a request of a client, which redeems the code of the approval once and within
// a minute. The table holds hashes, so it reveals no code.
import type { Clock } from '../../lib/clock.ts';
import type { SecretSource } from '../../lib/secret-text.ts';
import type { SqlQueries } from '../database/sql.ts';
import { isVerifierOf } from './pkce.ts';
import { isOAuthScope, type OAuthScope } from './scopes.ts';
import { tokenKey } from './secret-hash.ts';

/** RFC 6749 recommends at most ten minutes; programs redeem a code at once. */
const codeLifeMs = 60_000;

/** What a user has approved. */
export interface Approved {
  readonly clientID: string;
  readonly userName: string;
  readonly scopes: readonly OAuthScope[];
}

/** A user's approval of an authorization request. */
export interface Approval extends Approved {
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

export interface AuthorizationCodes {
  /** Records the approval, and returns its code. */
  approve(approval: Approval): Promise<string>;
  /** Undefined when the code or the proof is wrong. A code is used up by any attempt of its client. */
  redeem(code: string, proof: CodeProof): Promise<Approved | undefined>;
}

export interface AuthorizationCodesDeps {
  readonly sql: SqlQueries;
  readonly clock: Clock;
  readonly newSecret: SecretSource;
}

export function createAuthorizationCodes({ sql, clock, newSecret }: AuthorizationCodesDeps): AuthorizationCodes {
  return {
    async approve({ clientID, userName, scopes, redirectURI = '', codeChallenge }) {
      const code = newSecret().reveal();
      const nowMs = clock.now();
      await sql.query('DELETE FROM authorization_code WHERE ends_at_ms <= $1', [nowMs]);
      await sql.query(
        `INSERT INTO authorization_code (hash, client_id, user_name, scopes, code_challenge, redirect_uri, ends_at_ms)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [tokenKey(code), clientID, userName, scopes.join(' '), codeChallenge, redirectURI, nowMs + codeLifeMs],
      );
      return code;
    },

    async redeem(code, { clientID, redirectURI = '', codeVerifier }) {
      // One statement, so that only one of two attempts gets the row.
      const [row] = await sql.query(
        `DELETE FROM authorization_code WHERE hash = $1 AND client_id = $2
         RETURNING user_name, scopes, code_challenge, redirect_uri, ends_at_ms`,
        [tokenKey(code), clientID],
      );
      if (!row || Number(row['ends_at_ms']) <= clock.now() || row['redirect_uri'] !== redirectURI) return undefined;
      if (!isVerifierOf(String(row['code_challenge']), codeVerifier)) return undefined;
      const scopes = String(row['scopes']).split(' ').filter(isOAuthScope);
      return { clientID, userName: String(row['user_name']), scopes };
    },
  };
}
