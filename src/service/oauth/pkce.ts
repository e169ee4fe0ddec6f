// Proof Key for Code Exchange (RFC 7636): a client proves that it began the sign-in whose code it redeems. Only the method S256, because
// the other one would send the secret through the browser.
import { hash, timingSafeEqual } from 'node:crypto';

export const challengeMethod = 'S256';

/** A SHA-256 hash in base64url. */
export function isChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** True when the challenge was made of the verifier (RFC 7636 section 4.6). */
export function isVerifierOf(challenge: string, verifier: string | undefined): boolean {
  if (verifier === undefined || !/^[A-Za-z0-9\-._~]{43,128}$/.test(verifier)) return false;
  const [given, expected] = [Buffer.from(hash('sha256', verifier, 'base64url')), Buffer.from(challenge)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
