// The static token: checked when an option gives it, generated when the service would be unusable without one.
import { isLoopback } from '../lib/ip-address.ts';
import type { SecretText } from '../lib/secret-text.ts';
import { requireThat } from './require-option.ts';
import { requireLongSecret } from './secret-length.ts';
import type { AlertsServiceOptions } from './service-options.ts';

/** Without a token, client or user, the service needs a token to be usable. It prints one only when it listens on loopback. */
export function generateToken(options: AlertsServiceOptions): SecretText | undefined {
  const { staticToken, clients = [], users = [], listen, newSecret, showsGeneratedToken = true } = options;
  if (staticToken || clients.length + users.length > 0) return undefined;
  const advice = 'Set a static token, a client or a user (--static-token, --client, --user or --registrations)';
  requireThat(isLoopback(listen), `${advice}: without one the service listens on loopback only.`);
  requireThat(
    showsGeneratedToken,
    `${advice}: without one the service generates a token, which only --print=all prints.`,
  );
  return newSecret();
}

/** Returns the token itself. Throws `UsageError` when it is short or has characters that a header cannot carry. */
export function checkToken(token: SecretText | undefined): SecretText | undefined {
  const isUsable = !token || /^[A-Za-z0-9\-._~+/]+=*$/.test(token.reveal());
  requireThat(
    isUsable,
    'The static token may contain only letters, digits and the characters - . _ ~ + /, and = at its end.',
  );
  if (token) requireLongSecret('The static token (--static-token)', token);
  return token;
}
