// Validates the text that follows "Bearer " in a header. The check runs before any HTTP library sees the text, because
// libraries often print a header that they reject.
import { AlertsError } from '../../alerts/alerts-error.ts';
import { SecretText } from '../../lib/secret-text.ts';
import { trimEnds } from '../../lib/trim-ends.ts';

const longestToken = 16_384;

/**
 * Trims white space (Secrets often keep the last newline of a file). Throws `credential-missing` when nothing usable is
 * left; the message never contains a part of the credential.
 */
export function parseBearerToken(credential: SecretText): SecretText {
  const text = trimCredential(credential).reveal();
  if (text === '') throw emptyCredential();
  if (text.length > longestToken) throw unusable('The token in the Secret is too long.');
  if (!isHeaderSafe(text)) {
    throw unusable(
      'The token in the Secret contains a space, a line break or another character that is not allowed in a token.',
    );
  }
  return new SecretText(text);
}

export function emptyCredential(): AlertsError {
  return unusable('The value in the Secret is empty.');
}

function unusable(message: string): AlertsError {
  return new AlertsError('credential-missing', message, { reason: 'SecretInvalid' });
}

/** Without ASCII white space at both ends. */
export function trimCredential(credential: SecretText): SecretText {
  return new SecretText(trimEnds(credential.reveal(), '\t\n\f\r '));
}

/** Visible ASCII: wider than RFC 6750's b64token, and everything that a header accepts without quoting. */
export function isHeaderSafe(text: string): boolean {
  return text.length <= longestToken && /^[!-~]+$/.test(text);
}
