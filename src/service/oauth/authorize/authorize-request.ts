// Parses an authorization request of the implicit flow (RFC 6749 section 4.2.1) or of the code flow with PKCE (section 4.1.1, RFC 7636).
// Before the client and its redirect URI are checked, nothing may be sent to that URI: our page shows the problem instead.
import type { Parameters, ParsedParameters } from '../form.ts';
import { challengeMethod, isChallenge } from '../pkce.ts';
import { scopesOf, type Registrations, type ServiceClient } from '../registrations.ts';
import { foreignResource, isThisService } from '../resource.ts';
import { parseScopes, type OAuthScope } from '../scopes.ts';
import { isRegisteredURI } from './redirect-uri.ts';

/** Where the response goes, and in which part of the URI. */
export interface ReturnPlace {
  readonly redirectURI: string;
  readonly mode: ResponseMode;
  /** The base URL of the service: its client sees which server the response is from (RFC 9207). */
  readonly issuer: string;
  readonly state: string | undefined;
}

export type ResponseMode = 'query' | 'fragment';

export const responseTypes = ['code', 'token'] as const;

/** A valid request, which a user may approve. */
export interface AuthorizeRequest extends ReturnPlace {
  readonly client: ServiceClient;
  readonly scopes: readonly OAuthScope[];
  /** Undefined in the implicit flow. */
  readonly code: RequestedCode | undefined;
}

/** What the redemption of the code must match. */
export interface RequestedCode {
  readonly challenge: string;
  /** As in the request; undefined when the request left it out. */
  readonly redirectURI: string | undefined;
}

export type AuthorizeError =
  | 'invalid_request'
  | 'access_denied'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'invalid_target';

/** An error for the client. */
export interface AuthorizeProblem {
  readonly error: AuthorizeError;
  readonly description: string;
}

export type ParsedAuthorize =
  | { readonly kind: 'request'; readonly request: AuthorizeRequest }
  | { readonly kind: 'problem'; readonly place: ReturnPlace; readonly problem: AuthorizeProblem }
  /** An error for the user only. */
  | { readonly kind: 'refused'; readonly message: string };

/** In characters. A redirect repeats the state and the page the name of the user, and every client can ask for both. */
export const longestParameter = 2048;

export function parseAuthorize(
  { parameters, repeated }: ParsedParameters,
  registrations: Registrations,
  publicURL: string,
): ParsedAuthorize {
  if (repeated.has('client_id') || repeated.has('redirect_uri')) {
    return { kind: 'refused', message: 'The request repeats a parameter.' };
  }
  const client = registrations.client(parameters.get('client_id') ?? '');
  if (!client) return { kind: 'refused', message: unknownClient(registrations) };
  const redirectURI = chooseRedirect(client, parameters.get('redirect_uri'));
  if (redirectURI === undefined) {
    return {
      kind: 'refused',
      message: 'The redirect_uri is not registered for this program.',
    };
  }
  const place = { redirectURI, mode: modeOf(parameters), issuer: publicURL, state: parameters.get('state') };
  const scopes = parseScopes(parameters.get('scope'), scopesOf(client));
  const problem = findProblem({ parameters, repeated }, publicURL);
  if (problem || !scopes) return { kind: 'problem', place, problem: problem ?? wrongScope(client) };
  return { kind: 'request', request: { ...place, client, scopes, code: codeOf(parameters) } };
}

/** A token goes into the fragment, which no server sees. A code goes into the query, or where a page of the browser asks for it. */
function modeOf(parameters: Parameters): ResponseMode {
  return isCodeFlow(parameters) && parameters.get('response_mode') !== 'fragment' ? 'query' : 'fragment';
}

function isCodeFlow(parameters: Parameters): boolean {
  return parameters.get('response_type') === 'code';
}

function codeOf(parameters: Parameters): RequestedCode | undefined {
  const challenge = parameters.get('code_challenge') ?? '';
  return isCodeFlow(parameters) ? { challenge, redirectURI: parameters.get('redirect_uri') } : undefined;
}

/** Optional only if the client has exactly one (RFC 6749 section 3.1.2.3). */
function chooseRedirect({ redirectURIs = [] }: ServiceClient, given: string | undefined): string | undefined {
  if (given === undefined) return redirectURIs.length === 1 ? redirectURIs[0] : undefined;
  return isRegisteredURI(redirectURIs, given) ? given : undefined;
}

function findProblem({ parameters, repeated }: ParsedParameters, publicURL: string): AuthorizeProblem | undefined {
  if (repeated.size > 0) return { error: 'invalid_request', description: 'A parameter is repeated.' };
  const responseType = parameters.get('response_type');
  if (responseType === undefined) return { error: 'invalid_request', description: 'response_type is missing.' };
  if (!responseTypes.some((known) => known === responseType)) {
    return { error: 'unsupported_response_type', description: 'The response_type must be code or token.' };
  }
  const problem = responseType === 'code' ? findCodeProblem(parameters) : undefined;
  if (problem !== undefined) return { error: 'invalid_request', description: problem };
  return isThisService(parameters.get('resource'), publicURL) ? undefined : foreignResource;
}

function findCodeProblem(parameters: Parameters): string | undefined {
  if (!isChallenge(parameters.get('code_challenge') ?? '')) {
    return 'code_challenge must be a SHA-256 hash in base64url (PKCE, RFC 7636).';
  }
  if (parameters.get('code_challenge_method') !== challengeMethod) return 'code_challenge_method must be S256.';
  const mode = parameters.get('response_mode') ?? 'query';
  return mode === 'query' || mode === 'fragment' ? undefined : 'response_mode must be query or fragment.';
}

function wrongScope(client: ServiceClient): AuthorizeProblem {
  return { error: 'invalid_scope', description: `This program may request ${scopesOf(client).join(' and ')}.` };
}

function unknownClient({ hasUsers }: Registrations): string {
  if (!hasUsers) return 'Sign-in is not available: the service has no users.';
  return 'The program that sent you here is not registered (client_id).';
}
