// Why jose refuses the claims of an assertion, as a sentence for its signer: jose checks them after the signature.
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
