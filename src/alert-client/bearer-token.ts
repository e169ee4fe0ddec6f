// A text that may follow "Bearer " in a header. Checked before it gets anywhere near HTTP, because a library that
// refuses a header likes to print it.
import { CodedError } from '../lib/errors.ts';
import { SecretText } from '../lib/secret-text.ts';
import { trimEnds } from '../lib/trim-ends.ts';

const longestToken = 16_384;

/**
 * The credential without the white space around it (a file's last newline ends up in Secrets). Throws
 * `credential-missing` when nothing usable is left; the sentence never holds a part of it.
 */
export function parseBearerToken(credential: SecretText): SecretText {
  const text = trimCredential(credential).reveal();
  if (text === '') throw new CodedError('credential-missing', 'The Secret holds an empty value.');
  if (text.length > longestToken) throw new CodedError('credential-missing', 'The token in the Secret is too long.');
  if (!isHeaderSafe(text)) {
    throw new CodedError(
      'credential-missing',
      'The token in the Secret has a space, a line break or another character that a token cannot have.',
    );
  }
  return new SecretText(text);
}

/** Without ASCII white space at both ends. */
export function trimCredential(credential: SecretText): SecretText {
  return new SecretText(trimEnds(credential.reveal(), '\t\n\f\r '));
}

/** Visible ASCII: wider than RFC 6750's b64token, as wide as a header can take without quoting. */
export function isHeaderSafe(text: string): boolean {
  return text.length <= longestToken && /^[!-~]+$/.test(text);
}
