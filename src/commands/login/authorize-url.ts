// The URL that a person opens to sign in: an authorization request of the implicit flow (section 5, RFC 6749 section 4.2.1), or of the
// code flow. Either response comes in the fragment, which the page of the redirect URI hands over.

export interface LoginRequest {
  /** `{auth_url}` of section 5, without a slash at the end. */
  readonly authURL: string;
  readonly clientID: string;
  readonly scope: string;
  readonly redirectURI: string;
  readonly state: string;
  /** Undefined for the implicit flow. */
  readonly codeChallenge: string | undefined;
}

export function authorizeURL({ authURL, clientID, scope, redirectURI, state, codeChallenge }: LoginRequest): string {
  const query = new URLSearchParams({
    response_type: codeChallenge === undefined ? 'token' : 'code',
    client_id: clientID,
    redirect_uri: redirectURI,
    scope,
    state,
    ...(codeChallenge !== undefined && {
      response_mode: 'fragment',
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    }),
  });
  return `${authURL}/common/oauth2/authorize?${query.toString()}`;
}
