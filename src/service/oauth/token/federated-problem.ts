// What makes a correctly signed token of a trusted issuer unacceptable as an assertion. A cluster signs a token once and its owner sends
// it until it is renewed, so the same token is good several times: its audience and its short life protect it, not its id.
import type { JWTPayload } from 'jose';

import type { FederatedTrust } from '../federated-trust.ts';
import { futureProblemOf } from './claim-problem.ts';

/** Maximum life of a token, in seconds. */
const longestLifeSeconds = 86_400;

/** A sentence for the owner of the token. It names the limit and repeats no claim. */
export function federatedProblemOf(
  { aud, iat, exp = 0 }: JWTPayload,
  { audience }: FederatedTrust,
  nowSeconds: number,
): string | undefined {
  const audiences = [aud ?? []].flat();
  if (audiences.length !== 1 || audiences[0] !== audience) {
    return 'The assertion must be for exactly the audience (aud) that is registered for this client.';
  }
  if (iat === undefined) return 'The assertion must say when it was issued (iat).';
  if (exp - iat > longestLifeSeconds) {
    return `The assertion must end (exp) within ${longestLifeSeconds} seconds after it was issued (iat).`;
  }
  return futureProblemOf(iat, nowSeconds);
}
