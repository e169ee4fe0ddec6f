// RFC 7523: a client authenticates with a JWT. One that it signed with its own key is valid once (`jti`), for one service (`aud`) and
// for a short time (`exp`); federated-problem.ts has the rules for one that an issuer signed which the client trusts.
import { createLocalJWKSet, decodeJwt, type JWTPayload } from 'jose';

import type { Clock } from '../../../lib/clock.ts';
import { isNonEmptyString, stringOf } from '../../../lib/json-shape.ts';
import type { Logger } from '../../../lib/log.ts';
import type { Sql } from '../../database/sql.ts';
import type { FederatedTrust } from '../federated-trust.ts';
import type { Registrations, ServiceClient } from '../registrations.ts';
import { reasonOf } from '../token-reason.ts';
import { keysLimit, verifyWithKeys } from './assertion-keys.ts';
import { claimProblemOf, futureProblemOf, toleranceSeconds } from './claim-problem.ts';
import { federatedProblemOf } from './federated-problem.ts';
import { type IssuerKeys, IssuerKeysError } from './issuer-keys.ts';
import type { Refusal } from './oauth-error.ts';

/** Public-key signatures only: with a shared secret, the verifier could also sign. */
export const assertionAlgorithms = ['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519', 'RS256', 'PS256'];

/** Maximum lifetime of an assertion, in seconds. */
const longestLifeSeconds = 600;

const longestID = 255;

/** PostgreSQL stores no NUL. */
const controlCharacter = /\p{Cc}/u;

/** A refused assertion. The problem is a sentence for its signer; undefined unless the signature is right. */
export interface RefusedAssertion {
  readonly problem: string | undefined;
}

export interface Assertions {
  /** The client that signed the assertion. The log names the request. */
  redeem(text: string, requestID: string | undefined): Promise<ServiceClient | RefusedAssertion | Refusal>;
  /** The client that the assertion names, unverified; its issuer when that is no client, and empty without one. */
  clientNamedBy(text: string): string;
}

export interface AssertionDeps {
  readonly sql: Sql;
  readonly registrations: Registrations;
  readonly issuerKeys: IssuerKeys;
  /** The accepted audiences: the issuer, or the token endpoint (RFC 7523 section 3). */
  readonly audiences: () => readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

export function createAssertions(deps: AssertionDeps): Assertions {
  const { clock, log } = deps;

  const refuseUnverified = (reason: string, requestID: string | undefined) => {
    log.debug({ requestID, reason }, 'assertion refused');
    return { problem: undefined };
  };

  /** Its signer is a registered client, whose configuration needs a change. */
  const refuseVerified = ({ id }: ServiceClient, problem: string, requestID: string | undefined) => {
    log.info({ requestID, client: id, reason: problem }, 'assertion refused');
    return { problem };
  };

  return {
    clientNamedBy: (text) => clientNamedBy(deps.registrations, text),
    async redeem(text, requestID) {
      const verified = await verifyAssertion(deps, text).catch((error: unknown) => ({ error }));
      if ('error' in verified) {
        if (verified.error instanceof IssuerKeysError) return keysUnavailable;
        return refuseUnverified(reasonOf(verified.error), requestID);
      }
      const { client } = verified;
      if ('problem' in verified) return refuseVerified(client, verified.problem, requestID);
      const { payload, trust } = verified;
      const nowSeconds = clock.now() / 1000;
      const problem = trust ? federatedProblemOf(payload, trust, nowSeconds) : problemOf(payload, nowSeconds);
      if (problem !== undefined) return refuseVerified(client, problem, requestID);
      if (trust) return client;
      const { jti = '', exp = 0 } = payload;
      const use = { clientID: client.id, jti, endsAtSeconds: exp + toleranceSeconds, nowSeconds };
      return (await isFirstUse(deps.sql, use))
        ? client
        : refuseVerified(client, 'The assertion was used before (jti).', requestID);
    },
  };
}

/** What makes a correctly signed assertion unacceptable, as a sentence. It names the limit and repeats no claim. */
function problemOf({ exp = 0, iat, ...others }: JWTPayload, nowSeconds: number): string | undefined {
  const { jti }: { readonly jti?: unknown } = others;
  if (!isNonEmptyString(jti) || jti.length > longestID || controlCharacter.test(jti)) {
    return `The assertion needs an id (jti) of 1 to ${longestID} characters, none of them a control character.`;
  }
  if (exp - nowSeconds > longestLifeSeconds + toleranceSeconds) {
    return `The assertion must end (exp) within ${longestLifeSeconds} seconds.`;
  }
  return futureProblemOf(iat, nowSeconds);
}

function clientNamedBy(registrations: Registrations, text: string): string {
  try {
    const claims = decodeJwt(text);
    return signerOf(registrations, claims)?.client.id ?? stringOf(claims.iss) ?? '';
  } catch {
    return '';
  }
}

const keysUnavailable: Refusal = {
  error: 'temporarily_unavailable',
  description: 'The keys of the issuer of the assertion cannot be read. Try again later.',
  retryAfterSeconds: 5,
};

/** The client that an assertion names, unverified. */
interface Signer {
  readonly client: ServiceClient;
  /** Present when an issuer signs for it that the client trusts. */
  readonly trust?: FederatedTrust;
}

/** An assertion with the right signature. */
type Verified = Signer & ({ readonly payload: JWTPayload } | { readonly problem: string });

function signerOf(registrations: Registrations, { iss = '', sub = '' }: JWTPayload): Signer | undefined {
  const client = registrations.client(iss);
  return registrations.trusting(iss, sub) ?? (client && { client });
}

/** Rejects for a wrong signature, for a client without keys, and with `keys-unavailable`. */
async function verifyAssertion(deps: AssertionDeps, text: string): Promise<Verified> {
  const signer = signerOf(deps.registrations, decodeJwt(text));
  if (!signer) throw new Error('no client with keys');
  try {
    return { ...signer, payload: await verifyClaims(deps, text, signer) };
  } catch (error) {
    const problem = claimProblemOf(error);
    if (problem === undefined) throw error;
    return { ...signer, problem };
  }
}

function verifyClaims(deps: AssertionDeps, text: string, { client, trust }: Signer): Promise<JWTPayload> {
  const times = {
    algorithms: assertionAlgorithms,
    requiredClaims: ['exp'],
    currentDate: new Date(deps.clock.now()),
    clockTolerance: toleranceSeconds,
  };
  // The problem of the audience is left to `federatedProblemOf`, whose sentence is another one.
  if (trust) return deps.issuerKeys.verify(trust, text, { ...times, issuer: trust.issuer, subject: trust.subject });
  const { id, keys = [] } = client;
  if (keys.length === 0) return Promise.reject(new Error('no client with keys'));
  const keySet = createLocalJWKSet({ keys: keys.slice(0, keysLimit) });
  return verifyWithKeys(text, keySet, { ...times, issuer: id, subject: id, audience: [...deps.audiences()] });
}

interface Use {
  readonly clientID: string;
  readonly jti: string;
  readonly endsAtSeconds: number;
  readonly nowSeconds: number;
}

/** Records a use on disk before the response, so that a restart does not make an assertion valid again. */
function isFirstUse(sql: Sql, { clientID, jti, endsAtSeconds, nowSeconds }: Use): Promise<boolean> {
  return sql.transaction(async (tx) => {
    await tx.query('DELETE FROM used_assertion WHERE ends_at_s < $1', [Math.floor(nowSeconds)]);
    const added = await tx.query(
      `INSERT INTO used_assertion (client_id, jti, ends_at_s) VALUES ($1, $2, $3)
       ON CONFLICT DO NOTHING RETURNING jti`,
      [clientID, jti, Math.ceil(endsAtSeconds)],
    );
    return added.length > 0;
  });
}
