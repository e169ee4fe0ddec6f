// Reads the specification's error body (section 2.8) leniently: the status classifies a failure, the body only adds
// details. A condition may show its code, so the code must be an identifier; its message goes into the log.
import { cleanText } from '../../lib/clean-text.ts';
import { objectOf, ownMember, stringOf } from '../../lib/json-shape.ts';
import type { SecretText } from '../../lib/secret-text.ts';

export interface ErrorBody {
  /** Absent when the service sent none, or one that is not an identifier of up to 64 characters. */
  readonly code: string | undefined;
  /** Sanitized, up to 512 characters. May name people and requests: for the log only, never for a status or an Event. */
  readonly message: string | undefined;
}

const identifier = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;
const messageLength = 512;

/** Undefined when `json` is not an error body. Masks every occurrence of `secret`. */
export function decodeErrorBody(json: unknown, secret?: SecretText): ErrorBody | undefined {
  const error = objectOf(ownMember(objectOf(json), 'error'));
  const code = stringOf(ownMember(error, 'code'));
  const message = stringOf(ownMember(error, 'message'));
  if (code === undefined && message === undefined) return undefined;
  return {
    code: identifierOf(withoutSecret(code ?? '', secret)),
    message: cleanText(withoutSecret(message ?? '', secret), messageLength) || undefined,
  };
}

/** `text` when it is an identifier, else undefined. */
export function identifierOf(text: string): string | undefined {
  return identifier.test(text) ? text : undefined;
}

/** A service or a token endpoint may echo the secret; the log must not show it. */
export function withoutSecret(text: string, secret: SecretText | undefined): string {
  const hidden = secret?.reveal() ?? '';
  return hidden === '' ? text : text.replaceAll(hidden, String(secret));
}
