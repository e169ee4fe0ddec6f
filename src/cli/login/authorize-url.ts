// The URL that a person opens to sign in: an authorization request of the implicit flow (section 5, RFC 6749 section 4.2.1).

export interface LoginRequest {
  /** `{auth_url}` of section 5, without a slash at the end. */
  readonly authURL: string;
  readonly clientID: string;
  readonly scope: string;
  readonly redirectURI: string;
  readonly state: string;
}

export function authorizeURL({ authURL, clientID, scope, redirectURI, state }: LoginRequest): string {
  const query = new URLSearchParams({
    response_type: 'token',
    client_id: clientID,
    redirect_uri: redirectURI,
    scope,
    state,
  });
  return `${authURL}/common/oauth2/authorize?${query.toString()}`;
}
