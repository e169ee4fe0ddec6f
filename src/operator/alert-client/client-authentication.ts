// How a client authenticates at its token endpoint: with its secret, or with an assertion, which another authority signed.
import * as oauth from 'oauth4webapi';

import type { SecretText } from '../../lib/secret-text.ts';

/** Adds the credential to a token request. */
export type Authenticate = (credential: SecretText) => oauth.ClientAuth;

export const withSecret: Authenticate = (secret) => oauth.ClientSecretBasic(secret.reveal());

/** RFC 7523, 2.2. The client id is optional there, and required by some token endpoints. */
export const withAssertion: Authenticate = (assertion) => (_server, client, body) => {
  body.set('client_id', client.client_id);
  body.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
  body.set('client_assertion', assertion.reveal());
};
