// Secrets as a parameter. Unlike `Random`, the source is cryptographically secure.
import { randomBytes } from 'node:crypto';

import { SecretText } from './secret-text.ts';

/** Returns a new secret on every call. */
export type SecretSource = () => SecretText;

/** 256 random bits of the operating system in base64url, which is safe in a header, a URL and a shell. */
export const systemSecrets: SecretSource = () => new SecretText(randomBytes(32).toString('base64url'));
