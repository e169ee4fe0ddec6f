// Parses the authorization response in the fragment: a token or an error (RFC 6749 sections 4.2.2 and 4.2.2.1). Only a response
// with the state of this sign-in counts; any other page may have sent the rest.
import { timingSafeEqual } from 'node:crypto';

import { cleanText } from '../../lib/clean-text.ts';
import { SecretText } from '../../lib/secret-text.ts';

export interface LoginToken {
  readonly token: SecretText;
  /** Undefined when the service does not state it. */
  readonly expiresAtMs: number | undefined;
  readonly scope: string;
}

export type LoginAnswer =
  | { readonly kind: 'token'; readonly login: LoginToken }
  | { readonly kind: 'refused'; readonly message: string }
  /** Belongs to another sign-in; this one continues. */
  | { readonly kind: 'foreign' };

export interface Expected {
  readonly state: string;
  /** The requested scope: a response without a scope grants this one (RFC 6749 section 5.1). */
  readonly scope: string;
  readonly nowMs: number;
}

export function parseLoginAnswer(fragment: string, { state, scope, nowMs }: Expected): LoginAnswer {
  const answer = new URLSearchParams(fragment);
  if (!isSameText(answer.get('state') ?? '', state)) return { kind: 'foreign' };
  const error = answer.get('error');
  if (error !== null) return { kind: 'refused', message: refusal(error, answer.get('error_description')) };
  const token = answer.get('access_token') ?? '';
  const isBearer = (answer.get('token_type') ?? '').toLowerCase() === 'bearer';
  if (!isBearer || !/^[A-Za-z0-9\-._~+/]+=*$/.test(token)) {
    return { kind: 'refused', message: 'The service sent no bearer token.' };
  }
  const seconds = /^[0-9]{1,9}$/.exec(answer.get('expires_in') ?? '')?.[0];
  const expiresAtMs = seconds === undefined ? undefined : nowMs + Number(seconds) * 1000;
  return {
    kind: 'token',
    login: { token: new SecretText(token), expiresAtMs, scope: cleanText(answer.get('scope') ?? scope) },
  };
}

/** The code of a response to this sign-in; undefined for any other response. */
export function codeOf(fragment: string, { state }: Pick<Expected, 'state'>): string | undefined {
  const answer = new URLSearchParams(fragment);
  return isSameText(answer.get('state') ?? '', state) ? (answer.get('code') ?? undefined) : undefined;
}

/** The service that a sign-in asked. */
export interface AskedIssuer {
  readonly issuer: string;
  /** Whether the metadata promises that every response names its issuer. */
  readonly sendsIssuer: boolean;
}

/**
 * The reason to refuse a response that another service may have sent (RFC 9207 section 2.4): redeemed here, its code would give that
 * service the verifier. Undefined when there is none.
 */
export function foreignIssuer(fragment: string, { issuer, sendsIssuer }: AskedIssuer): string | undefined {
  const named = new URLSearchParams(fragment).getAll('iss');
  if (named.length === 0) return sendsIssuer ? 'The response does not name the service.' : undefined;
  if (named.length === 1 && named[0] === issuer) return undefined;
  return `The response is from ${cleanText(named.join(', '))} instead of ${issuer}.`;
}

function refusal(error: string, description: string | null): string {
  const more = description === null ? '' : `: ${cleanText(description)}`;
  return `The service refused (${cleanText(error)})${more}`;
}

function isSameText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
