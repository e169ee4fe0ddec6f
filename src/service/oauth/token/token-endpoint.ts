// The OAuth 2.0 token endpoint: for programs the client-credentials grant (RFC 6749 section 4.4) and the JWT bearer grant (RFC 7523
// section 2.1), for users the authorization code with PKCE. Section 5 defines only the implicit flow.
import { jsonResponse, type ServiceRequest, type ServiceResponse } from '../../http/message.ts';
import type { RateLimit } from '../../http/rate-limit.ts';
import type { AuthorizationCodes } from '../authorization-codes.ts';
import type { Parameters } from '../form.ts';
import type { AccessTokens, TokenGrant } from '../keys/access-tokens.ts';
import { scopesOf, type ServiceClient } from '../registrations.ts';
import { foreignResource, isThisService } from '../resource.ts';
import { parseScopes } from '../scopes.ts';
import { hasLogin, identifyClient, loginClient, redeemAssertion, type ClientLoginDeps } from './client-login.ts';
import { rateProblem, refuse, type Refusal } from './oauth-error.ts';
import { readForm } from './token-form.ts';

export const jwtBearerGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export const grantTypes = ['client_credentials', jwtBearerGrant, 'authorization_code'] as const;

export interface TokenEndpointDeps extends ClientLoginDeps {
  readonly codes: Pick<AuthorizationCodes, 'redeem'>;
  readonly tokens: AccessTokens;
  readonly rateLimit: RateLimit;
  /** The base URL, the only resource of tokens. */
  readonly publicURL: () => string;
}

export function createTokenEndpoint(deps: TokenEndpointDeps): (request: ServiceRequest) => Promise<ServiceResponse> {
  return async (request) => {
    const form = readForm(request);
    if ('error' in form) return refuse(form, request);
    const isOfUser = form.get('grant_type') === 'authorization_code';
    const grant = await (isOfUser ? redeemCode : earnByClient)(deps, request, form);
    return 'error' in grant ? refuse(grant, request) : answerGrant(deps, grant);
  };
}

async function earnByClient(
  deps: TokenEndpointDeps,
  request: ServiceRequest,
  form: Parameters,
): Promise<TokenGrant | Refusal> {
  const isBearerGrant = form.get('grant_type') === jwtBearerGrant;
  const client = await (isBearerGrant ? redeemGrant(deps, request, form) : loginClient(deps, request, form));
  if ('error' in client) return client;
  const problem = rateProblem(deps.rateLimit, `client ${client.id}`) ?? grantProblem(deps, form);
  if (problem) return problem;
  const scopes = parseScopes(form.get('scope'), scopesOf(client));
  if (scopes) return { subject: client.id, subjectType: 'client', clientID: client.id, scopes };
  return { error: 'invalid_scope', description: `This client may request ${scopesOf(client).join(' and ')}.` };
}

/** Without a limit of wrong codes: a code cannot be guessed, and every caller can name a client without a secret. */
async function redeemCode(
  deps: TokenEndpointDeps,
  request: ServiceRequest,
  form: Parameters,
): Promise<TokenGrant | Refusal> {
  const client = await identifyClient(deps, request, form);
  if ('error' in client) return client;
  const problem = grantProblem(deps, form);
  if (problem) return problem;
  const code = form.get('code');
  if (code === undefined) return { error: 'invalid_request', description: 'code is missing.' };
  const approved = await deps.codes.redeem(code, {
    clientID: client.id,
    redirectURI: form.get('redirect_uri'),
    codeVerifier: form.get('code_verifier'),
  });
  if (!approved) {
    const description = 'The code is invalid, has ended or was used, or redirect_uri or code_verifier is wrong.';
    return { error: 'invalid_grant', description };
  }
  // Those that the registrations still allow.
  const user = deps.registrations.user(approved.userName);
  const scopes = approved.scopes.filter(
    (scope) => user && scopesOf(user).includes(scope) && scopesOf(client).includes(scope),
  );
  if (scopes.length === 0) return { error: 'invalid_grant', description: 'The user is no longer registered.' };
  return { subject: approved.userName, subjectType: 'user', clientID: client.id, scopes };
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

async function answerGrant({ tokens }: TokenEndpointDeps, grant: TokenGrant): Promise<ServiceResponse> {
  const { text, lifetimeSeconds } = await tokens.issue(grant);
  const body = JSON.stringify({
    access_token: text,
    token_type: 'Bearer',
    expires_in: lifetimeSeconds,
    scope: grant.scopes.join(' '),
  });
  return jsonResponse(200, body, { pragma: 'no-cache' });
}
