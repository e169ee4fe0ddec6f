// Which registered keys can verify an assertion with one of the accepted algorithms. Others are no error, because their client may have a
// key that can, but without a warning its assertions would be refused for no visible reason.
import type { JWK } from 'jose';

import type { ServiceClient } from '../registrations.ts';
import { assertionAlgorithms } from './assertions.ts';

/** RFC 7518 sections 3.3 and 3.5. */
const leastRSABits = 2048;

const usableCurves: ReadonlySet<string | undefined> = new Set(['P-256', 'P-384', 'P-521', 'Ed25519']);

/** The positions of the keys of a client that can verify nothing, for a warning. */
export function unusableKeys({ keys = [] }: ServiceClient): readonly number[] {
  return keys.flatMap((key, index) => (isUsable(key) ? [] : [index]));
}

function isUsable({ kty, crv, alg, n, key_ops: operations }: JWK): boolean {
  if (alg !== undefined && !assertionAlgorithms.includes(alg)) return false;
  // Not checked before: RFC 7517 wants a list.
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) return false;
  return kty === 'RSA' ? bitsOf(n) >= leastRSABits : usableCurves.has(crv);
}

/** The bits of a number in base64url, rounded up to bytes. */
function bitsOf(number = ''): number {
  return Buffer.from(number, 'base64url').length * 8;
}
