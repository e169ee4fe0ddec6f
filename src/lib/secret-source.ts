// Unguessable text as a parameter: `Random` is for spreading load, this is for secrets.
import { randomBytes } from 'node:crypto';

import { SecretText } from './secret-text.ts';

/** Gives a new secret every time. */
export type SecretSource = () => SecretText;

/** 256 bits from the operating system, in characters that are safe in a header, a URL and a shell. */
export const systemSecrets: SecretSource = () => new SecretText(randomBytes(32).toString('base64url'));
