// The OAuth 2.0 token endpoint: for programs the client-credentials grant (RFC 6749 section 4.4) and the JWT bearer grant (RFC 7523
// section 2.1), for users the authorization code with PKCE and the refresh token. Section 5 defines only the implicit flow.
import { jsonResponse, type ServiceRequest, type ServiceResponse } from '../../http/message.ts';
import type { RateLimit } from '../../http/rate-limit.ts';
import type { AttemptLimit } from '../attempt-limit.ts';
import type { Parameters } from '../form.ts';
import type { AccessTokens, TokenGrant } from '../keys/access-tokens.ts';
import { scopesOf, type ServiceClient } from '../registrations.ts';
import { foreignResource, isThisService } from '../resource.ts';
import { parseScopes } from '../scopes.ts';
import {
  hasLogin,
  identifyClient,
  loginClient,
  redeemAssertion,
  tooManyWrong,
  type ClientLoginDeps,
} from './client-login.ts';
import { rateProblem, refuse, type Refusal } from './oauth-error.ts';
import { readForm } from './token-form.ts';
import { isGrantOf, redeemUserGrant, userGrantTypes, type UserGrantsDeps } from './user-grants.ts';

export const jwtBearerGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export const grantTypes = ['client_credentials', jwtBearerGrant, ...userGrantTypes] as const;

export interface TokenEndpointDeps extends ClientLoginDeps, UserGrantsDeps {
  /** Of codes and refresh tokens. */
  readonly codeAttempts: AttemptLimit;
  readonly tokens: AccessTokens;
  readonly rateLimit: RateLimit;
  /** The base URL, the only resource of tokens. */
  readonly publicURL: () => string;
}

/** What a request has earned: the claims of an access token, and a refresh token if it continues a sign-in. */
interface Earned {
  readonly grant: TokenGrant;
  readonly refreshToken?: string;
}

export function createTokenEndpoint(deps: TokenEndpointDeps): (request: ServiceRequest) => Promise<ServiceResponse> {
  return async (request) => {
    const form = readForm(request);
    if ('error' in form) return refuse(form, request);
    const earned = await (isUserGrant(form) ? earnByUser : earnByClient)(deps, request, form);
    return 'error' in earned ? refuse(earned, request) : answerGrant(deps, earned);
  };
}

function isUserGrant(form: Parameters): boolean {
  return userGrantTypes.some((type) => type === form.get('grant_type'));
}

async function earnByClient(
  deps: TokenEndpointDeps,
  request: ServiceRequest,
  form: Parameters,
): Promise<Earned | Refusal> {
  const isBearerGrant = form.get('grant_type') === jwtBearerGrant;
  const client = await (isBearerGrant ? redeemGrant(deps, request, form) : loginClient(deps, request, form));
  if ('error' in client) return client;
  const problem = rateProblem(deps.rateLimit, `client ${client.id}`) ?? grantProblem(deps, form);
  if (problem) return problem;
  const scopes = parseScopes(form.get('scope'), scopesOf(client));
  if (scopes) return { grant: { subject: client.id, subjectType: 'client', clientID: client.id, scopes } };
  return { error: 'invalid_scope', description: `This client may request ${scopesOf(client).join(' and ')}.` };
}

/**
 * Counts the requests of a refresh token as requests of its user: a client that only names itself has no limit of its own. The limit of
 * wrong codes refuses none that is right, because every caller can name such a client, and would close it to all users at its address.
 */
async function earnByUser(
  deps: TokenEndpointDeps,
  request: ServiceRequest,
  form: Parameters,
): Promise<Earned | Refusal> {
  const client = await identifyClient(deps, request, form);
  if ('error' in client) return client;
  const problem = grantProblem(deps, form);
  if (problem) return problem;
  const attempt = { name: client.id, address: request.clientAddress };
  if ((await deps.codeAttempts.isClosed(attempt)) && !(await isGrantOf(deps, client, form)))
    return tooManyWrong('codes');
  const granted = await redeemUserGrant(deps, client, form, (user) => rateProblem(deps.rateLimit, `user ${user}`));
  if ('error' in granted) {
    if (granted.error === 'invalid_grant') await deps.codeAttempts.noteFailure(attempt);
    return granted;
  }
  await deps.codeAttempts.noteSuccess(attempt);
  const { delegation, refreshToken, scopes } = granted;
  const { id: delegationID, userName: subject } = delegation;
  return { grant: { subject, subjectType: 'user', clientID: client.id, scopes, delegationID }, refreshToken };
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

async function answerGrant({ tokens }: TokenEndpointDeps, { grant, refreshToken }: Earned): Promise<ServiceResponse> {
  const { text, lifetimeSeconds } = await tokens.issue(grant);
  const body = JSON.stringify({
    access_token: text,
    token_type: 'Bearer',
    expires_in: lifetimeSeconds,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    scope: grant.scopes.join(' '),
  });
  return jsonResponse(200, body, { pragma: 'no-cache' });
}
