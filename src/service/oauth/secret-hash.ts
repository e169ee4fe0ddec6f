// Compares and stores secrets as hashes only, so that neither the time of a comparison nor the data file reveals one.
import { hash, timingSafeEqual } from 'node:crypto';

import type { SecretText } from '../../lib/secret-text.ts';

/** SHA-256. Random secrets need no salt; configured secrets are hashed in memory only. */
export function hashSecret(secret: string): Uint8Array {
  return hash('sha256', secret, 'buffer');
}

/** Compares in constant time. */
export function isSameHash(expected: Uint8Array, given: Uint8Array): boolean {
  return timingSafeEqual(expected, given);
}

/** Hashes two secrets and compares them in constant time. */
export function isSameSecret(expected: SecretText, given: string): boolean {
  return isSameHash(hashSecret(expected.reveal()), hashSecret(given));
}
