// The result of a sign-in: parses the authorization response in the fragment, a token or an error (RFC 6749 sections 4.2.2 and 4.2.2.1), and
// redeems the code in it. Only a response with the state of this sign-in counts; any other page may have sent the rest.
import { timingSafeEqual } from 'node:crypto';

import { cleanText } from '../../lib/clean-text.ts';
import { messageOf } from '../../lib/errors.ts';
import { SecretText } from '../../lib/secret-text.ts';
import type { LoginToken } from '../preview/login-store.ts';
import { redeemCode, type AskedIssuer, type CodeFlow } from './code-flow.ts';

export type LoginAnswer =
  | { readonly kind: 'token'; readonly login: LoginToken }
  | { readonly kind: 'refused'; readonly message: string }
  /** Belongs to another sign-in; this one continues. */
  | { readonly kind: 'foreign' };

interface Expected {
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
function codeOf(fragment: string, { state }: Pick<Expected, 'state'>): string | undefined {
  const answer = new URLSearchParams(fragment);
  return isSameText(answer.get('state') ?? '', state) ? (answer.get('code') ?? undefined) : undefined;
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

export interface SentRequest {
  readonly authURL: string;
  readonly clientID: string;
  readonly scope: string;
  readonly state: string;
  readonly redirectURI: string;
  /** Undefined for the implicit flow. */
  readonly flow: CodeFlow | undefined;
}

/** Never rejects. `fragment` is that of the redirect URI. */
export async function readAnswer(
  fragment: string,
  request: SentRequest,
  nowMs: number,
  stopping: AbortSignal,
): Promise<LoginAnswer> {
  const { authURL, state, scope, flow } = request;
  const expected = { state, scope, nowMs };
  const answer = parseLoginAnswer(fragment, expected);
  if (answer.kind === 'foreign') return answer;
  // Also in the implicit flow: the token of another service would be stored as one of this service, and sent to it.
  const foreign = foreignIssuer(fragment, flow ?? { issuer: authURL, sendsIssuer: false });
  if (foreign !== undefined) return { kind: 'refused', message: `${foreign} Sign in again.` };
  const code = codeOf(fragment, request);
  if (!flow || code === undefined) return answer;
  try {
    const members = await redeemCode(flow, { ...request, code }, stopping);
    return parseLoginAnswer(new URLSearchParams({ ...members, state }).toString(), expected);
  } catch (error) {
    return { kind: 'refused', message: messageOf(error) };
  }
}
