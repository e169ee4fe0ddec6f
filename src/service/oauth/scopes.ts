// The OAuth scopes. Section 5 defines `user_impersonation`; `alerts.read` is an addition of this service for read-only callers.

export const oauthScopes = ['user_impersonation', 'alerts.read'] as const;

export type OAuthScope = (typeof oauthScopes)[number];

/** The scope of a request without scopes: that of section 5. */
const defaultScope: OAuthScope = 'user_impersonation';

/**
 * The granted scopes of a request (RFC 6749 section 3.3: words separated by spaces); undefined when one of them does not exist or is
 * not allowed. A request without scopes gets the default one, or the allowed ones if the default is not allowed.
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
