// The OAuth metadata for discovery (RFC 8414), and the public keys that verify our tokens (RFC 7517).
import { jsonResponse, type ServiceResponse } from '../../http/message.ts';
import { endpointPaths } from '../../http/resource-path.ts';
import { responseTypes } from '../authorize/authorize-request.ts';
import { challengeMethod } from '../pkce.ts';
import { oauthScopes } from '../scopes.ts';
import { assertionAlgorithms } from '../token/assertions.ts';
import { grantTypes } from '../token/token-endpoint.ts';
import type { SigningKeys } from './signing-keys.ts';

/** `none`: a client without a secret and keys names itself. */
const authenticationMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'];

export function metadataResponse(publicURL: string): ServiceResponse {
  return jsonResponse(
    200,
    JSON.stringify({
      issuer: publicURL,
      authorization_endpoint: `${publicURL}${endpointPaths.authorize}`,
      token_endpoint: `${publicURL}${endpointPaths.token}`,
      jwks_uri: `${publicURL}${endpointPaths.keys}`,
      scopes_supported: oauthScopes,
      response_types_supported: responseTypes,
      response_modes_supported: ['query', 'fragment'],
      authorization_response_iss_parameter_supported: true,
      grant_types_supported: ['implicit', ...grantTypes],
      code_challenge_methods_supported: [challengeMethod],
      token_endpoint_auth_methods_supported: authenticationMethods,
      token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    }),
  );
}

export async function keysResponse(keys: SigningKeys): Promise<ServiceResponse> {
  return jsonResponse(200, JSON.stringify(await keys.publicSet()));
}
