// Parses an authorization request of the implicit flow (RFC 6749 section 4.2.1). Before the client and its redirect URI are checked,
// nothing may be sent to that URI: our page shows the problem instead (section 4.2.2.1).
import type { ParsedParameters } from '../form.ts';
import { scopesOf, type Registrations, type ServiceClient } from '../registrations.ts';
import { foreignResource, isThisService } from '../resource.ts';
import { parseScopes, type OAuthScope } from '../scopes.ts';
import { isRegisteredURI } from './redirect-uri.ts';

/** A valid request, which a user may approve. */
export interface AuthorizeRequest {
  readonly client: ServiceClient;
  readonly redirectURI: string;
  readonly state: string | undefined;
  readonly scopes: readonly OAuthScope[];
}

export type AuthorizeError =
  | 'invalid_request'
  | 'unauthorized_client'
  | 'access_denied'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'server_error';

/** An error for the client, sent in the fragment. */
export interface AuthorizeProblem {
  readonly error: AuthorizeError;
  readonly description: string;
}

export type ParsedAuthorize =
  | { readonly kind: 'request'; readonly request: AuthorizeRequest }
  | {
      readonly kind: 'problem';
      readonly redirectURI: string;
      readonly state: string | undefined;
      readonly problem: AuthorizeProblem;
    }
  /** An error for the user only. */
  | { readonly kind: 'refused'; readonly message: string };

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
  const state = parameters.get('state');
  const scopes = parseScopes(parameters.get('scope'), scopesOf(client));
  const problem = findProblem({ parameters, repeated }, publicURL);
  if (problem || !scopes) return { kind: 'problem', redirectURI, state, problem: problem ?? wrongScope(client) };
  return { kind: 'request', request: { client, redirectURI, state, scopes } };
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
  if (responseType !== 'token') {
    return { error: 'unsupported_response_type', description: 'The only response_type is token.' };
  }
  return isThisService(parameters.get('resource'), publicURL) ? undefined : foreignResource;
}

function wrongScope(client: ServiceClient): AuthorizeProblem {
  return { error: 'invalid_scope', description: `This program may request ${scopesOf(client).join(' and ')}.` };
}

function unknownClient({ hasUsers }: Registrations): string {
  if (!hasUsers) return 'Sign-in is not available: the service has no users.';
  return 'The program that sent you here is not registered (client_id).';
}
