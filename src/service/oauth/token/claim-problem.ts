// Why the claims of an assertion are refused, as a sentence for its signer. jose checks most of them, after the signature.
import { errors } from 'jose';

/** Tolerated clock skew of the signer, in seconds. */
export const toleranceSeconds = 30;

const sentences: Readonly<Record<string, string>> = {
  sub: 'The assertion must name the client as iss and as sub.',
  aud: 'The assertion must be for this service (aud): for its base URL or its token endpoint.',
  exp: `The assertion must end (exp) in the future; a clock may be ${toleranceSeconds} seconds behind.`,
  nbf: `The assertion is not valid yet (nbf); a clock may be ${toleranceSeconds} seconds ahead.`,
};

/** Names the claim and repeats nothing of it. Undefined when the signature was not confirmed. */
export function claimProblemOf(error: unknown): string | undefined {
  const isOfClaim = error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired;
  return isOfClaim ? (sentences[error.claim] ?? `The assertion has a wrong claim (${error.claim}).`) : undefined;
}

/** The problem of an assertion that is issued later than a clock may be ahead; undefined for any other, also without the claim. */
export function futureProblemOf(iat: number | undefined, nowSeconds: number): string | undefined {
  if (iat === undefined || iat - nowSeconds <= toleranceSeconds) return undefined;
  return `The assertion is issued (iat) in the future; a clock may be ${toleranceSeconds} seconds ahead.`;
}
