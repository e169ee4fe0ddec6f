// The OAuth scopes there are. Section 5 names `user_impersonation`; `alerts.read` is our own, for callers that only look.

export const oauthScopes = ['user_impersonation', 'alerts.read'] as const;

export type OAuthScope = (typeof oauthScopes)[number];

/** What asking for no scope means: the one of section 5. */
const defaultScope: OAuthScope = 'user_impersonation';

/**
 * The scopes that a request asks for and may have (RFC 6749 section 3.3: words with spaces between); undefined when one of them does
 * not exist or is not allowed. Whoever may not have the default one gets what it may have.
 */
export function parseScopes(
  text: string | undefined,
  allowed: readonly OAuthScope[],
): readonly OAuthScope[] | undefined {
  const asked = (text ?? '').split(' ').filter((word) => word !== '');
  if (asked.length === 0) return allowed.includes(defaultScope) ? [defaultScope] : allowed;
  const granted = allowed.filter((scope) => asked.includes(scope));
  return asked.every((word) => granted.some((scope) => scope === word)) ? granted : undefined;
}

export function isOAuthScope(text: string): text is OAuthScope {
  return oauthScopes.some((scope) => scope === text);
}
