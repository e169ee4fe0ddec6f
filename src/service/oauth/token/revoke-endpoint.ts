// The revocation endpoint (RFC 7009): a client ends a refresh token, with all tokens of its sign-in, or a single access token.
import { emptyResponse, type ServiceRequest, type ServiceResponse } from '../../http/message.ts';
import type { Delegations } from '../delegations.ts';
import type { AccessTokens } from '../keys/access-tokens.ts';
import type { ServiceClient } from '../registrations.ts';
import type { Revocations } from '../revocations.ts';
import { identifyClient, type ClientLoginDeps } from './client-login.ts';
import { refuse, type Refusal } from './oauth-error.ts';
import { readForm } from './token-form.ts';

export interface RevokeEndpointDeps extends ClientLoginDeps {
  readonly delegations: Delegations;
  readonly revocations: Pick<Revocations, 'revoke'>;
  readonly tokens: Pick<AccessTokens, 'identify'>;
}

export function createRevokeEndpoint(deps: RevokeEndpointDeps): (request: ServiceRequest) => Promise<ServiceResponse> {
  return async (request) => {
    const form = readForm(request);
    if ('error' in form) return refuse(form, request);
    const client = await identifyClient(deps, request, form);
    if ('error' in client) return refuse(client, request);
    const token = form.get('token');
    if (token === undefined) return refuse({ error: 'invalid_request', description: 'token is missing.' }, request);
    const problem = await revoke(deps, client, token);
    // An unknown token is a success, because the client's purpose is fulfilled (section 2.2).
    return problem ? refuse(problem, request) : emptyResponse(200, { 'content-length': '0' });
  };
}

/** Ignores `token_type_hint`, as section 2.1 allows: the two kinds are never alike. */
async function revoke(deps: RevokeEndpointDeps, client: ServiceClient, token: string): Promise<Refusal | undefined> {
  const delegation = await deps.delegations.find(token);
  const access = delegation ? undefined : await deps.tokens.identify(token);
  const owner = delegation?.clientID ?? access?.clientID ?? client.id;
  if (owner !== client.id) return { error: 'invalid_grant', description: 'The token belongs to another client.' };
  if (delegation) await deps.delegations.revoke(delegation.id);
  if (access) await deps.revocations.revoke(access.tokenID);
  return undefined;
}
