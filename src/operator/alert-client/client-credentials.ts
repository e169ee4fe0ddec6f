// Fetches a token for a client id and its credential (RFC 6749, 4.4) over the connection's own transport, so that the limits
// and address rules of the service apply to the token endpoint, too. A secret is sent with HTTP Basic only: servers must
// support it (2.3.1), and a retry in the body would double every failed login and expose the secret.
import * as oauth from 'oauth4webapi';

import { AlertsError, isAlertsError } from '../../alerts/alerts-error.ts';
import { cleanText } from '../../lib/clean-text.ts';
import type { Clock } from '../../lib/clock.ts';
import { type CodedError, type ErrorFacts, isCoded } from '../../lib/errors.ts';
import { isString, stringOf } from '../../lib/json-shape.ts';
import type { Random } from '../../lib/random.ts';
import { SecretText } from '../../lib/secret-text.ts';
import { identifierOf, throttledMs, withoutSecret } from './classify.ts';
import { parseOutboundUrl, type UrlRules } from './endpoint.ts';
import type { HttpRequest, HttpResponse } from './http-call.ts';
import { emptyCredential, type FetchedToken, type FetchToken, isHeaderSafe, trimCredential } from './tokens.ts';

export interface ClientCredentialsOptions extends UrlRules {
  readonly tokenURL: string;
  readonly clientID: string;
  /** Empty: the server's default (RFC 6749, 3.3). */
  readonly scopes: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  readonly userAgent: string;
}

const tokenAnswerLimitBytes = 65_536;
/** RFC 6749, 5.1 leaves a missing expires_in to documentation. A short life is safe: a rejected token is replaced anyway. */
const defaultLifeMs = 300_000;
const shortestLifeMs = 10_000;
const longestLifeMs = 86_400_000;

/** Throws `endpoint-invalid` for an unusable URL. The function that it returns rejects as `ServiceWay.use`. */
export function createClientCredentialsFetch(
  options: ClientCredentialsOptions,
  authenticate: Authenticate = withSecret,
): FetchToken {
  const url = parseOutboundUrl(options.tokenURL, 'token URL', options);
  const server = { issuer: url.origin, token_endpoint: url.href };
  const client = { client_id: options.clientID };
  return async (untrimmed, transport, signal) => {
    const credential = trimCredential(untrimmed);
    if (credential.reveal() === '') throw emptyCredential();
    const parameters = new URLSearchParams(options.scopes.length > 0 ? { scope: options.scopes.join(' ') } : {});
    let received: HttpResponse | undefined;
    try {
      const response = await oauth.clientCredentialsGrantRequest(server, client, authenticate(credential), parameters, {
        [oauth.allowInsecureRequests]: options.allowHttp,
        [oauth.customFetch]: async (_url, request) => {
          received = await transport.send(toRequest(url, request, options.userAgent, signal));
          return toResponse(received);
        },
      });
      return decodeToken(await oauth.processClientCredentialsResponse(server, client, response));
    } catch (error) {
      throw tokenFailure(error, received, credential, { ...options, address: `${url.origin}${url.pathname}` });
    }
  };
}

function toRequest(
  url: URL,
  { headers, body }: oauth.CustomFetchOptions<'POST', URLSearchParams>,
  userAgent: string,
  signal: AbortSignal,
): HttpRequest {
  return {
    origin: url.origin,
    target: `${url.pathname}${url.search}`,
    method: 'POST',
    headers: Object.entries({ ...headers, 'accept-encoding': 'identity', 'user-agent': userAgent }).flat(),
    body: body.toString(),
    bodyLimitBytes: tokenAnswerLimitBytes,
    signal,
  };
}

/** Keeps statuses that a `Response` cannot carry, and unread bodies, from the library. */
function toResponse({ status, headers, body }: HttpResponse): Response {
  if (body === undefined || status > 599)
    throw tokenEndpointFailure('The response of the token endpoint cannot be read.');
  const type = headers['content-type'];
  const isBodyless = status === 204 || status === 205 || status === 304;
  return new Response(isBodyless ? null : new Uint8Array(body), {
    status,
    headers: isString(type) ? { 'content-type': type } : {},
  });
}

function decodeToken(received: oauth.TokenEndpointResponse): FetchedToken {
  if (received.token_type !== 'bearer')
    throw tokenEndpointFailure('The token endpoint issued a token that is not a bearer token.');
  if (!isHeaderSafe(received.access_token))
    throw tokenEndpointFailure('The token endpoint issued a token with characters that a header cannot carry.');
  const statedMs = received.expires_in === undefined ? defaultLifeMs : received.expires_in * 1000;
  const lifeMs = Math.min(Math.max(statedMs, shortestLifeMs), longestLifeMs);
  return { token: new SecretText(received.access_token), lifeMs };
}

/** Adds the credential to a token request: a secret, or an assertion, which another authority signed. */
export type Authenticate = (credential: SecretText) => oauth.ClientAuth;

const withSecret: Authenticate = (secret) => oauth.ClientSecretBasic(secret.reveal());

/** RFC 7523, 2.2. The client id is optional there, and required by some token endpoints. */
export const withAssertion: Authenticate = (assertion) => (_server, client, body) => {
  body.set('client_id', client.client_id);
  body.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
  body.set('client_assertion', assertion.reveal());
};

/** What a failed request means. The library's errors contain the response with its token, so they are neither rethrown nor attached as a cause. */
function tokenFailure(
  error: unknown,
  received: HttpResponse | undefined,
  secret: SecretText,
  { clock, random, address }: { readonly clock: Clock; readonly random: Random; readonly address: string },
): CodedError {
  if (isCoded(error)) return fromTransport(error);
  if (received === undefined || received.status === 200) {
    return tokenEndpointFailure('The response of the token endpoint does not conform to OAuth 2.0.', {
      status: received?.status,
    });
  }
  const retryAfterMs = throttledMs(received, clock.now(), random);
  const facts: ErrorFacts = { status: received.status, retryAfterMs, ...refusalFacts(error, secret) };
  const code = facts.serviceCode === undefined ? '' : ` and the error code ${facts.serviceCode}`;
  return tokenEndpointFailure(
    `The token endpoint ${address} rejected the request with status ${received.status}${code}.`,
    facts,
  );
}

function fromTransport(error: CodedError): CodedError {
  if (!isAlertsError(error, 'service-unreachable', 'service-protocol')) return error;
  const detail = error.detail ?? error.message;
  const cause = error.message.split(': ')[1];
  const message = 'The request to the token endpoint failed';
  const { reason } = error;
  return tokenEndpointFailure(cause === undefined ? `${message}.` : `${message}: ${cause}`, { reason, detail });
}

/** `error` and `error_description` of RFC 6749, 5.2. */
function refusalFacts(error: unknown, secret: SecretText): ErrorFacts {
  if (!(error instanceof oauth.ResponseBodyError)) return {};
  // The library checks `error` only; the description may have any type.
  const description: unknown = error.error_description;
  const code = identifierOf(withoutSecret(error.error, secret));
  const detail = cleanText(withoutSecret(stringOf(description) ?? '', secret));
  return { serviceCode: code, detail: detail === '' ? undefined : detail };
}

/** The error of the token endpoint, with a message that names no secret. */
function tokenEndpointFailure(message: string, facts?: ErrorFacts): AlertsError {
  return new AlertsError('token-endpoint-failed', message, facts);
}
