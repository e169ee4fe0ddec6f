// The specification's error body (section 2.8), read leniently: a failure is classified by its status, the body only
// adds words. Its code may stand in a condition, so it must look like an identifier; its message is for the log.
import { cleanText } from '../lib/clean-text.ts';
import type { SecretText } from '../lib/secret-text.ts';

export interface ErrorBody {
  /** Absent when it was not sent or does not look like an identifier of up to 64 characters. */
  readonly code?: string;
  /** Cleaned, up to 512 characters. May name people and requests: for logs and events, never for a condition. */
  readonly message?: string;
}

const identifier = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;
const messageLength = 512;

/** Undefined when `json` is not an error body at all. What repeats `secret` is taken out. */
export function decodeErrorBody(json: unknown, secret?: SecretText): ErrorBody | undefined {
  const error = memberOf(json, 'error');
  const code = memberOf(error, 'code');
  const message = memberOf(error, 'message');
  if (typeof code !== 'string' && typeof message !== 'string') return undefined;
  const safeCode = typeof code === 'string' ? identifierOf(withoutSecret(code, secret)) : undefined;
  const safeMessage = typeof message === 'string' ? cleanText(withoutSecret(message, secret), messageLength) : '';
  return {
    ...(safeCode !== undefined && { code: safeCode }),
    ...(safeMessage !== '' && { message: safeMessage }),
  };
}

/** `text` when it may be shown as a stable code, else undefined. */
export function identifierOf(text: string): string | undefined {
  return identifier.test(text) ? text : undefined;
}

/** A service or a token endpoint may repeat what it was sent; the log must not. */
export function withoutSecret(text: string, secret: SecretText | undefined): string {
  const hidden = secret?.reveal() ?? '';
  return hidden === '' ? text : text.replaceAll(hidden, String(secret));
}

function memberOf(json: unknown, name: string): unknown {
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, name)) return undefined;
  return (json as Readonly<Record<string, unknown>>)[name];
}
