// The code flow with PKCE (RFC 6749 section 4.1, RFC 7636), where the metadata of the service offers it (RFC 8414). The browser then sees
// a code, which is worthless without the verifier of this process, instead of the token of the implicit flow.
import { hash } from 'node:crypto';

import { cleanText } from '../../lib/clean-text.ts';
import { LocalError } from '../../lib/command-errors.ts';
import { messageOf } from '../../lib/errors.ts';
import { isObject, type JsonObject, parseJson } from '../../lib/json-shape.ts';
import type { SecretSource } from '../../lib/secret-text.ts';

/** Maximum time of one request. */
const deadlineMs = 10_000;

/** The service that a sign-in asked. */
export interface AskedIssuer {
  readonly issuer: string;
  /** Whether the metadata promises that every response names its issuer. */
  readonly sendsIssuer: boolean;
}

export interface CodeFlow extends AskedIssuer {
  readonly tokenEndpoint: string;
  readonly codeVerifier: string;
  readonly codeChallenge: string;
}

/** Reports why a service may offer the code flow although the sign-in cannot use it, and what to do. A full sentence. */
export type ReportProblem = (problem: string) => void;

/**
 * Undefined when the service does not offer the flow, or no metadata: the implicit flow needs none. Throws `LocalError` for a service that
 * would name another URL in its response, which the sign-in would refuse.
 */
export async function findCodeFlow(
  authURL: string,
  newSecret: SecretSource,
  stopping: AbortSignal,
  report: ReportProblem,
): Promise<CodeFlow | undefined> {
  const url = `${authURL}/.well-known/oauth-authorization-server`;
  const metadata = await readJson(url, {}, stopping).catch((cause: unknown) => {
    const reason = messageOf(cause);
    const advice = reason.includes('certificate') ? ' To trust its CA, set NODE_EXTRA_CA_CERTS to a file with it.' : '';
    report(`Cannot read ${url}: ${reason}.${advice}`);
    return undefined;
  });
  if (!metadata) return undefined;
  noteOtherIssuer(metadata, authURL, report);
  const tokenEndpoint = tokenEndpointOf(metadata, authURL);
  if (tokenEndpoint === undefined) return undefined;
  const codeVerifier = newSecret().reveal();
  const codeChallenge = hash('sha256', codeVerifier, 'base64url');
  return { issuer: authURL, sendsIssuer: sendsIssuer(metadata), tokenEndpoint, codeVerifier, codeChallenge };
}

/** A service has one base URL, and programs often accept another name of it, such as localhost. */
function noteOtherIssuer(metadata: JsonObject, authURL: string, report: ReportProblem): void {
  const { issuer } = metadata;
  if (typeof issuer !== 'string' || issuer === authURL) return;
  const problem = `The service at ${authURL} calls itself ${cleanText(issuer)}: set --auth-url to that URL if you trust it.`;
  if (sendsIssuer(metadata)) throw new LocalError(problem);
  report(problem);
}

/** RFC 9207 section 3. */
function sendsIssuer(metadata: JsonObject): boolean {
  return metadata['authorization_response_iss_parameter_supported'] === true;
}

/** Undefined unless the metadata is that of this service and offers all that the flow needs. */
function tokenEndpointOf(metadata: JsonObject, authURL: string): string | undefined {
  const { issuer, token_endpoint: endpoint } = metadata;
  if (issuer !== authURL || typeof endpoint !== 'string') return undefined;
  if (URL.parse(endpoint)?.origin !== new URL(authURL).origin) return undefined;
  return needs.every(([member, value]) => asList(metadata[member]).includes(value)) ? endpoint : undefined;
}

const needs = [
  ['response_types_supported', 'code'],
  ['response_modes_supported', 'fragment'],
  ['code_challenge_methods_supported', 'S256'],
  ['token_endpoint_auth_methods_supported', 'none'],
] as const;

export interface ReceivedCode {
  readonly clientID: string;
  readonly redirectURI: string;
  readonly code: string;
}

/** The members of the response to the code: a token, or an error of RFC 6749 section 5.2. Throws `LocalError`. */
export async function redeemCode(
  { tokenEndpoint, codeVerifier }: CodeFlow,
  { clientID, redirectURI, code }: ReceivedCode,
  stopping: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: clientID,
    redirect_uri: redirectURI,
    code,
    code_verifier: codeVerifier,
  });
  const answer = await readJson(tokenEndpoint, { method: 'POST', body }, stopping).catch((cause: unknown) => {
    throw new LocalError(`Cannot get a token for the code: ${messageOf(cause)}.`);
  });
  const members = Object.entries(answer ?? {}).filter(([, value]) => ['string', 'number'].includes(typeof value));
  return Object.fromEntries(members.map(([name, value]) => [name, String(value)]));
}

/** Undefined when the response is not an object. Follows no redirect, which could lead to another service. */
async function readJson(url: string, init: RequestInit, stopping: AbortSignal): Promise<JsonObject | undefined> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(deadlineMs)]);
  const response = await fetch(url, { ...init, redirect: 'error', signal });
  const json = parseJson(await response.text());
  return isObject(json) ? json : undefined;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

interface LoginRequest {
  /** `{auth_url}` of section 5, without a slash at the end. */
  readonly authURL: string;
  readonly clientID: string;
  readonly scope: string;
  readonly redirectURI: string;
  readonly state: string;
  /** Undefined for the implicit flow. */
  readonly codeChallenge: string | undefined;
}

/**
 * The URL that a person opens to sign in: an authorization request of the implicit flow (section 5, RFC 6749 section 4.2.1), or of the code
 * flow. Either response comes in the fragment, which the page of the redirect URI hands over.
 */
export function authorizeURL({ authURL, clientID, scope, redirectURI, state, codeChallenge }: LoginRequest): string {
  const query = new URLSearchParams({
    response_type: codeChallenge === undefined ? 'token' : 'code',
    client_id: clientID,
    redirect_uri: redirectURI,
    scope,
    state,
    ...(codeChallenge !== undefined && {
      response_mode: 'fragment',
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    }),
  });
  return `${authURL}/common/oauth2/authorize?${query.toString()}`;
}
