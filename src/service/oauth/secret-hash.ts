// Secrets are compared and stored as hashes only, so neither the time of a comparison nor the data file tells one.
import { hash, timingSafeEqual } from 'node:crypto';

import type { SecretText } from '../../lib/secret-text.ts';

/** SHA-256. Enough without salt for what is random; configured secrets are hashed in memory only. */
export function hashSecret(secret: string): Uint8Array {
  return hash('sha256', secret, 'buffer');
}

/** Compares in a time that depends on neither. */
export function isSameHash(expected: Uint8Array, given: Uint8Array): boolean {
  return timingSafeEqual(expected, given);
}

/** The same for secrets that were not hashed yet. */
export function isSameSecret(expected: SecretText, given: string): boolean {
  return isSameHash(hashSecret(expected.reveal()), hashSecret(given));
}
