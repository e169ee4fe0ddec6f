// The OAuth 2.0 token endpoint, for programs: the client-credentials grant (RFC 6749 section 4.4) and the JWT bearer grant
// (RFC 7523 section 2.1). Section 5 defines only the implicit flow, which needs a person.
import { headerOf, jsonResponse, type ServiceRequest, type ServiceResponse } from '../../http/message.ts';
import type { RateLimit } from '../../http/rate-limit.ts';
import { parseFormBody, type Parameters } from '../form.ts';
import type { AccessTokens } from '../keys/access-tokens.ts';
import { scopesOf, type ServiceClient } from '../registrations.ts';
import { foreignResource, isThisService } from '../resource.ts';
import { parseScopes } from '../scopes.ts';
import { loginClient, redeemAssertion, type ClientLoginDeps } from './client-login.ts';
import { refuse, type Refusal } from './oauth-error.ts';

export const jwtBearerGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export const grantTypes = ['client_credentials', jwtBearerGrant] as const;

export interface TokenEndpointDeps extends ClientLoginDeps {
  readonly tokens: AccessTokens;
  readonly rateLimit: RateLimit;
  /** The base URL, the only resource of tokens. */
  readonly publicURL: () => string;
}

export function createTokenEndpoint(deps: TokenEndpointDeps): (request: ServiceRequest) => Promise<ServiceResponse> {
  return async (request) => {
    const form = readForm(request);
    if ('error' in form) return refuse(form, request);
    const isBearerGrant = form.get('grant_type') === jwtBearerGrant;
    const client = await (isBearerGrant ? redeemGrant(deps, request, form) : loginClient(deps, request, form));
    if ('error' in client) return refuse(client, request);
    const problem = rateProblem(deps, client) ?? grantProblem(deps, form);
    return problem ? refuse(problem, request) : answerGrant(deps, client, form, request);
  };
}

function readForm(request: ServiceRequest): Parameters | Refusal {
  const form = parseFormBody(request);
  if (!form) {
    return { error: 'invalid_request', description: 'The body must be application/x-www-form-urlencoded in UTF-8.' };
  }
  if (form.repeated.size > 0) return { error: 'invalid_request', description: 'A parameter is repeated.' };
  return form.parameters;
}

/** The assertion is the grant and identifies the client. A login is optional, but must be valid (RFC 7523 section 3.1). */
async function redeemGrant(
  deps: TokenEndpointDeps,
  request: ServiceRequest,
  form: Parameters,
): Promise<ServiceClient | Refusal> {
  const text = form.get('assertion');
  if (text === undefined) return { error: 'invalid_request', description: 'assertion is missing.' };
  const login = hasLogin(request, form) ? await loginClient(deps, request, form) : undefined;
  if (login && 'error' in login) return login;
  const client = await redeemAssertion(deps, request, text);
  if ('error' in client) return client;
  if ('problem' in client)
    return { error: 'invalid_grant', description: client.problem ?? 'The assertion is invalid.' };
  if (client.id === (login?.id ?? form.get('client_id') ?? client.id)) return client;
  return { error: 'invalid_grant', description: 'Another client signed the assertion.' };
}

function hasLogin(request: ServiceRequest, form: Parameters): boolean {
  const members = ['client_secret', 'client_assertion', 'client_assertion_type'];
  return headerOf(request, 'authorization') !== undefined || members.some((name) => form.has(name));
}

/** A token request counts like any other request of the client. */
function rateProblem({ rateLimit }: TokenEndpointDeps, client: ServiceClient): Refusal | undefined {
  const waitMs = rateLimit(`client ${client.id}`);
  if (waitMs === 0) return undefined;
  const description = 'Rate limit exceeded.';
  return { error: 'temporarily_unavailable', description, retryAfterSeconds: Math.ceil(waitMs / 1000) };
}

function grantProblem({ publicURL }: TokenEndpointDeps, form: Parameters): Refusal | undefined {
  const grantType = form.get('grant_type');
  if (grantType === undefined) return { error: 'invalid_request', description: 'grant_type is missing.' };
  if (!grantTypes.some((known) => known === grantType)) {
    return {
      error: 'unsupported_grant_type',
      description: `The supported grant types are ${grantTypes.join(' and ')}.`,
    };
  }
  return isThisService(form.get('resource'), publicURL()) ? undefined : foreignResource;
}

async function answerGrant(
  deps: TokenEndpointDeps,
  client: ServiceClient,
  form: Parameters,
  request: ServiceRequest,
): Promise<ServiceResponse> {
  const scopes = parseScopes(form.get('scope'), scopesOf(client));
  if (!scopes) {
    const description = `This client may request ${scopesOf(client).join(' and ')}.`;
    return refuse({ error: 'invalid_scope', description }, request);
  }
  const { text, lifetimeSeconds } = await deps.tokens.issue({
    subject: client.id,
    subjectType: 'client',
    clientID: client.id,
    scopes,
  });
  const body = JSON.stringify({
    access_token: text,
    token_type: 'Bearer',
    expires_in: lifetimeSeconds,
    scope: scopes.join(' '),
  });
  return jsonResponse(200, body, { pragma: 'no-cache' });
}
