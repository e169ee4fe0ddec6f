// Secrets are compared and stored as hashes only, so neither the time of a comparison nor the data file tells one.
import { createHash, timingSafeEqual } from 'node:crypto';

import type { SecretText } from '../lib/secret-text.ts';

/** SHA-256. Enough without salt for what is random; configured secrets are hashed in memory only. */
export function hashSecret(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest();
}

/** Compares in a time that depends on neither. */
export function isSameSecret(expected: SecretText, given: string): boolean {
  return timingSafeEqual(hashSecret(expected.reveal()), hashSecret(given));
}
