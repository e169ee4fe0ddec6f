// Compares and stores secrets as hashes only, so that neither the time of a comparison nor the data file reveals one.
import { hash, timingSafeEqual } from 'node:crypto';

import type { SecretText } from '../../lib/secret-text.ts';

/** SHA-256. Random secrets need no salt; configured secrets are hashed in memory only. */
export function hashSecret(secret: string): Uint8Array {
  return hash('sha256', secret, 'buffer');
}

/** The key under which a token or a code is kept: its hash as text, which costs half of the same bytes as a buffer. */
export function tokenKey(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** Compares two keys of tokens in constant time. */
export function isSameKey(expected: string, given: string): boolean {
  return timingSafeEqual(Buffer.from(expected, 'latin1'), Buffer.from(given, 'latin1'));
}

/** Compares in constant time. */
export function isSameHash(expected: Uint8Array, given: Uint8Array): boolean {
  return timingSafeEqual(expected, given);
}

/** Hashes two secrets and compares them in constant time. */
export function isSameSecret(expected: SecretText, given: string): boolean {
  return isSameHash(hashSecret(expected.reveal()), hashSecret(given));
}
