// Issues and verifies access tokens: JWTs of the profile of RFC 9068, signed by this service for itself. A cache of verified tokens
// saves the signature check of every request.
import { decodeProtectedHeader, errors, jwtVerify, SignJWT, type JWTHeaderParameters } from 'jose';

import type { Clock } from '../../../lib/clock.ts';
import { stringOf } from '../../../lib/json-shape.ts';
import type { Logger } from '../../../lib/log.ts';
import type { MaybePromise } from '../../../lib/maybe-promise.ts';
import type { SecretSource } from '../../../lib/secret-text.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { isOAuthScope, type OAuthScope } from '../scopes.ts';
import { reasonOf } from '../token-reason.ts';
import { signingAlgorithm, type SigningKeys } from './signing-keys.ts';

/** The claims of a token. */
export interface TokenGrant {
  /** The user's name, or the client's id when it acts for itself. */
  readonly subject: string;
  readonly subjectType: 'user' | 'client';
  readonly clientID: string;
  readonly scopes: readonly OAuthScope[];
}

export interface IssuedToken {
  readonly text: string;
  readonly lifetimeSeconds: number;
}

/** `stale`: this service signed the token, but it is not valid now. `foreign`: any other text. */
export type RefusedToken = 'stale' | 'foreign';

export interface AccessTokens {
  issue(grant: TokenGrant): Promise<IssuedToken>;
  /** The result for a token that was verified before, without work; undefined for any other. `key`: see `tokenKey`. */
  recall(key: string): TokenGrant | 'stale' | undefined;
  /** Verifies the signature. `key` is that of the text; the log names the request. */
  check(text: string, key: string, requestID: string | undefined): MaybePromise<TokenGrant | RefusedToken>;
  /** True when the text names a key of this service: then it is a token or a forgery, and no guess of another secret. */
  namesKey(text: string): boolean;
}

export interface AccessTokenDeps {
  readonly keys: SigningKeys;
  /** The base URL: issuer and audience of the tokens. */
  readonly publicURL: () => string;
  readonly lifetimeMs: number;
  readonly clock: Clock;
  readonly newSecret: SecretSource;
  readonly log: Logger;
}

/** The `typ` header of RFC 9068, so that no other kind of signed JWT is accepted. */
const tokenType = 'at+jwt';

/** Maximum length of a token to verify; issued tokens are far shorter. */
const tokenLimitCharacters = 4096;

const remembered = 10_000;

/** Tolerated difference between the clocks of processes that issue and check tokens, in seconds. */
const toleranceSeconds = 30;

interface Checked {
  readonly grant: TokenGrant;
  readonly expiresAtMs: number;
}

export function createAccessTokens(deps: AccessTokenDeps): AccessTokens {
  const { clock } = deps;
  const known = new Map<string, Checked>();

  const verify = async (text: string, key: string, requestID: string | undefined) => {
    const checked = await verifyToken(deps, text).catch((error: unknown): RefusedToken => {
      // Whether the token is valid is not known.
      if (error instanceof DatabaseError) throw error;
      deps.log.debug({ requestID, reason: reasonOf(error) }, 'token refused');
      return isSignedHere(error) ? 'stale' : 'foreign';
    });
    if (typeof checked === 'string') return checked;
    if (known.size >= remembered) known.clear();
    known.set(key, checked);
    return checked.grant;
  };

  return {
    issue: (grant) => issueToken(deps, grant),
    recall(key) {
      const checked = known.get(key);
      if (!checked) return undefined;
      if (checked.expiresAtMs > clock.now()) return checked.grant;
      known.delete(key);
      return 'stale';
    },
    check: (text, key, requestID) => (text.length > tokenLimitCharacters ? 'foreign' : verify(text, key, requestID)),
    namesKey: (text) => text.length <= tokenLimitCharacters && deps.keys.hasRead(keyIDOf(text)),
  };
}

/** The key that a token names, unverified; empty for any other text. */
function keyIDOf(text: string): string {
  try {
    return stringOf(decodeProtectedHeader(text).kid) ?? '';
  } catch {
    return '';
  }
}

/** Whether the signature was right: the claims are checked after it. */
function isSignedHere(error: unknown): boolean {
  return error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired;
}

async function issueToken(deps: AccessTokenDeps, grant: TokenGrant): Promise<IssuedToken> {
  const key = await deps.keys.current();
  const nowSeconds = Math.floor(deps.clock.now() / 1000);
  const lifetimeSeconds = Math.floor(deps.lifetimeMs / 1000);
  const claims = {
    client_id: grant.clientID,
    scope: grant.scopes.join(' '),
    subject_type: grant.subjectType,
  };
  const text = await new SignJWT(claims)
    .setProtectedHeader({ alg: signingAlgorithm, typ: tokenType, kid: key.id })
    .setIssuer(deps.publicURL())
    .setAudience(deps.publicURL())
    .setSubject(grant.subject)
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + lifetimeSeconds)
    .setJti(deps.newSecret().reveal())
    .sign(key.privateKey);
  return { text, lifetimeSeconds };
}

/** Rejects for an invalid token. */
async function verifyToken(deps: AccessTokenDeps, text: string): Promise<Checked> {
  const findKey = async ({ kid = '' }: JWTHeaderParameters) => {
    const key = await deps.keys.find(kid);
    if (!key) throw new Error('unknown key');
    return key.publicKey;
  };
  const { payload } = await jwtVerify(text, findKey, {
    algorithms: [signingAlgorithm],
    typ: tokenType,
    issuer: deps.publicURL(),
    audience: deps.publicURL(),
    requiredClaims: ['sub', 'exp', 'iat', 'jti', 'client_id', 'scope', 'subject_type'],
    currentDate: new Date(deps.clock.now()),
  });
  const { sub = '', exp = 0, iat = 0, client_id: clientID, scope, subject_type: subjectType } = payload;
  if (iat - deps.clock.now() / 1000 > toleranceSeconds) {
    throw new errors.JWTClaimValidationFailed('issued in the future', payload, 'iat', 'check_failed');
  }
  const scopes = String(scope).split(' ').filter(isOAuthScope);
  const grant: TokenGrant = {
    subject: sub,
    subjectType: subjectType === 'user' ? 'user' : 'client',
    clientID: String(clientID),
    scopes,
  };
  return { grant, expiresAtMs: exp * 1000 };
}
