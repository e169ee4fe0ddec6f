// RFC 7523: a client authenticates with a JWT that it signed with its own key. An assertion is valid once (`jti`), for one service
// (`aud`) and for a short time (`exp`).
import type { DatabaseSync } from 'node:sqlite';

import { createLocalJWKSet, decodeJwt, jwtVerify, type JWTPayload } from 'jose';

import type { Clock } from '../../../lib/clock.ts';
import { isNonEmptyString } from '../../../lib/json-shape.ts';
import { inTransaction } from '../../database.ts';
import type { Registrations, ServiceClient } from '../registrations.ts';

/** Public-key signatures only: with a shared secret, the verifier could also sign. */
export const assertionAlgorithms = ['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519', 'RS256', 'PS256'];

/** Maximum lifetime of an assertion, in seconds. */
const longestLifeSeconds = 600;

/** Tolerated clock skew of the client, in seconds. */
const toleranceSeconds = 30;

const longestID = 255;

export interface Assertions {
  /** The client that signed the assertion; undefined when the assertion is invalid or was used before. */
  redeem(text: string): Promise<ServiceClient | undefined>;
}

export interface AssertionDeps {
  readonly database: DatabaseSync;
  readonly registrations: Registrations;
  /** The accepted audiences: the issuer, or the token endpoint (RFC 7523 section 3). */
  readonly audiences: () => readonly string[];
  readonly clock: Clock;
}

export function createAssertions(deps: AssertionDeps): Assertions {
  const isFirstUse = createReplayGuard(deps.database);
  return {
    async redeem(text) {
      const verified = await verifyAssertion(deps, text).catch(() => undefined);
      if (!verified) return undefined;
      const { client, payload } = verified;
      const { jti, exp = 0, iat } = payload as JWTPayload & { readonly jti?: unknown };
      const nowSeconds = deps.clock.now() / 1000;
      if (!isNonEmptyString(jti) || jti.length > longestID) return undefined;
      if (exp - nowSeconds > longestLifeSeconds + toleranceSeconds) return undefined;
      if (iat !== undefined && iat - nowSeconds > toleranceSeconds) return undefined;
      return isFirstUse({ clientID: client.id, jti, endsAtSeconds: exp + toleranceSeconds, nowSeconds })
        ? client
        : undefined;
    },
  };
}

interface Verified {
  readonly client: ServiceClient;
  readonly payload: JWTPayload;
}

/** Rejects for an assertion with a wrong signature, audience or time; undefined for a client without keys. */
async function verifyAssertion(deps: AssertionDeps, text: string): Promise<Verified | undefined> {
  const { iss = '' } = decodeJwt(text);
  const client = deps.registrations.client(iss);
  if (!client?.keys || client.keys.length === 0) return undefined;
  const { payload } = await jwtVerify(text, createLocalJWKSet({ keys: [...client.keys] }), {
    algorithms: assertionAlgorithms,
    issuer: client.id,
    subject: client.id,
    audience: [...deps.audiences()],
    requiredClaims: ['exp', 'jti'],
    currentDate: new Date(deps.clock.now()),
    clockTolerance: toleranceSeconds,
  });
  return { client, payload };
}

interface Use {
  readonly clientID: string;
  readonly jti: string;
  readonly endsAtSeconds: number;
  readonly nowSeconds: number;
}

/** Records a use on disk before the response, so that a restart does not make an assertion valid again. */
function createReplayGuard(database: DatabaseSync): (use: Use) => boolean {
  const dropEnded = database.prepare('DELETE FROM used_assertion WHERE ends_at_s < ?');
  const add = database.prepare('INSERT OR IGNORE INTO used_assertion (client_id, jti, ends_at_s) VALUES (?, ?, ?)');
  return ({ clientID, jti, endsAtSeconds, nowSeconds }) =>
    inTransaction(database, () => {
      dropEnded.run(Math.floor(nowSeconds));
      return add.run(clientID, jti, Math.ceil(endsAtSeconds)).changes > 0;
    });
}
