// The minimum length of secrets that options give. Attempts are limited, but a short secret can still be guessed by many addresses.
import type { SecretText } from '../lib/secret-text.ts';
import { requireThat } from './require-option.ts';

/** Of tokens and secrets of programs, which are generated. */
export const shortestSecret = 16;

/** Of passwords, which users choose (NIST SP 800-63B). */
export const shortestPassword = 8;

/** `what` names the secret and its option, for example `The static token (--static-token)`. */
export function requireLongSecret(what: string, secret: SecretText): void {
  const fix = 'generate one, for example with openssl rand -hex 16';
  requireThat(
    secret.reveal().length >= shortestSecret,
    `${what} must have at least ${shortestSecret} characters; ${fix}.`,
  );
}

/** `what` names the user and the option. */
export function requireLongPassword(what: string, password: SecretText): void {
  requireThat(
    password.reveal().length >= shortestPassword,
    `${what} must have at least ${shortestPassword} characters.`,
  );
}
