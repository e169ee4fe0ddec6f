// The registered keys of a client that can have signed an assertion. `kid` selects one (RFC 7515 section 4.1.4). During a rotation two
// keys of one type may have none; then each key that fits is tried, so that adding a key never locks its client out.
import { errors, jwtVerify, type JWK, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions } from 'jose';

import type { ServiceClient } from '../registrations.ts';

/** Maximum number of keys of one client, which bounds the work of one assertion. */
export const keysLimit = 16;

/** The claims of an assertion that one of the keys signed. Rejects when no key fits or the claims are invalid. `keys` is a key set of jose. */
export async function verifyWithKeys(
  text: string,
  keys: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(text, keys, options);
    return payload;
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) return verifyWithEach(text, error, options);
    throw error;
  }
}

async function verifyWithEach(
  text: string,
  fitting: errors.JWKSMultipleMatchingKeys,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  for await (const key of fitting) {
    try {
      const { payload } = await jwtVerify(text, key, options);
      return payload;
    } catch (error) {
      // Any other error is about the claims, which the signature has already confirmed.
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

/** The positions of keys that no `kid` distinguishes from another key of the client, for a warning. */
export function alikeKeys({ keys = [] }: ServiceClient): readonly number[] {
  const isAlike = (key: JWK, index: number) =>
    keys.some((other, at) => at !== index && isSameType(key, other) && !hasDistinctIDs(key, other));
  return keys.flatMap((key, index) => (isAlike(key, index) ? [index] : []));
}

function isSameType(one: JWK, other: JWK): boolean {
  const algorithms = [one.alg ?? other.alg, other.alg ?? one.alg];
  return one.kty === other.kty && one.crv === other.crv && algorithms[0] === algorithms[1];
}

function hasDistinctIDs(one: JWK, other: JWK): boolean {
  return one.kid !== undefined && other.kid !== undefined && one.kid !== other.kid;
}
