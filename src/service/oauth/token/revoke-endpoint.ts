// The revocation endpoint (RFC 7009): a client ends a refresh token, with all tokens of its sign-in, or a single access token.
import { emptyResponse, type ServiceRequest, type ServiceResponse } from '../../http/message.ts';
import type { RateLimit } from '../../http/rate-limit.ts';
import type { AttemptLimit } from '../attempt-limit.ts';
import type { Delegations } from '../delegations.ts';
import type { AccessTokens } from '../keys/access-tokens.ts';
import type { ServiceClient } from '../registrations.ts';
import type { Revocations } from '../revocations.ts';
import { identifyClient, isPublicClient, tooManyWrong, type ClientLoginDeps } from './client-login.ts';
import { rateProblem, refuse, type Refusal } from './oauth-error.ts';
import { readForm } from './token-form.ts';

export interface RevokeEndpointDeps extends ClientLoginDeps {
  /** Of codes and refresh tokens, as at the token endpoint. */
  readonly codeAttempts: AttemptLimit;
  readonly delegations: Delegations;
  readonly revocations: Pick<Revocations, 'revoke'>;
  readonly tokens: Pick<AccessTokens, 'identify'>;
  readonly rateLimit: RateLimit;
}

export function createRevokeEndpoint(deps: RevokeEndpointDeps): (request: ServiceRequest) => Promise<ServiceResponse> {
  return async (request) => {
    const form = readForm(request);
    if ('error' in form) return refuse(form, request);
    const client = await identifyClient(deps, request, form);
    if ('error' in client) return refuse(client, request);
    const token = form.get('token');
    if (token === undefined) return refuse({ error: 'invalid_request', description: 'token is missing.' }, request);
    const problem = await revoke(deps, request, client, token);
    return problem ? refuse(problem, request) : emptyResponse(200, { 'content-length': '0' });
  };
}

interface FoundToken {
  readonly clientID: string;
  /** The caller in the rate limit that its requests count for. */
  readonly owner: string;
  readonly end: () => Promise<void>;
}

/** Ignores `token_type_hint`, as section 2.1 allows: the two kinds are never alike. */
async function findToken(deps: RevokeEndpointDeps, token: string): Promise<FoundToken | undefined> {
  const delegation = await deps.delegations.find(token);
  if (delegation) {
    const { id, clientID, userName } = delegation;
    return { clientID, owner: `user ${userName}`, end: () => deps.delegations.revoke(id) };
  }
  const access = await deps.tokens.identify(token);
  if (!access) return undefined;
  const { clientID, subjectType, subject } = access.grant;
  return { clientID, owner: `${subjectType} ${subject}`, end: () => deps.revocations.revoke(access.tokenID) };
}

async function revoke(
  deps: RevokeEndpointDeps,
  request: ServiceRequest,
  client: ServiceClient,
  token: string,
): Promise<Refusal | undefined> {
  const found = await findToken(deps, token);
  const problem = await countRequest(deps, request, client, found);
  // An unknown token is a success, because the client's purpose is fulfilled (section 2.2).
  if (problem || !found) return problem;
  if (found.clientID !== client.id)
    return { error: 'invalid_grant', description: 'The token belongs to another client.' };
  await found.end();
  return undefined;
}

/** A client that only names itself has no limit of its own: its own tokens count for their owners, any other for the address. */
async function countRequest(
  { rateLimit, codeAttempts }: RevokeEndpointDeps,
  { clientAddress: address }: ServiceRequest,
  client: ServiceClient,
  found: FoundToken | undefined,
): Promise<Refusal | undefined> {
  if (!isPublicClient(client)) return rateProblem(rateLimit, `client ${client.id}`);
  if (found?.clientID === client.id) return rateProblem(rateLimit, found.owner);
  return (await codeAttempts.noteFailure({ name: client.id, address })) ? undefined : tooManyWrong('tokens');
}
