// Exchanges an assertion for an access token. The assertion lasts for several exchanges: a cache renews it before its end,
// and drops one that the token endpoint refuses, because its issuer may have changed its keys.
import { isAlertsError } from '../alerts/alerts-error.ts';
import type { SecretText } from '../lib/secret-text.ts';
import { type FetchedToken, TokenCache, type TokenCacheOptions } from './tokens.ts';

export interface FederatedFetchOptions extends Omit<TokenCacheOptions, 'fetchToken'> {
  /** Rejects with `credential-missing`, `credential-not-allowed`, `token-endpoint-failed` or a `kube-…` code. */
  readonly requestAssertion: (signal: AbortSignal) => Promise<FetchedToken>;
  readonly exchange: (assertion: SecretText, signal: AbortSignal) => Promise<FetchedToken>;
}

/** A fetch with an assertion of its own. */
export function createFederatedFetch(options: FederatedFetchOptions): (signal: AbortSignal) => Promise<FetchedToken> {
  const assertions = new TokenCache({ ...options, fetchToken: options.requestAssertion });
  return async (signal) => {
    const assertion = await assertions.token(signal);
    try {
      return await options.exchange(assertion, signal);
    } catch (error) {
      if (isRefusal(error)) assertions.invalidate(assertion);
      throw error;
    }
  };
}

/** RFC 6749, 5.2: the statuses with which a token endpoint refuses a client. */
function isRefusal(error: unknown): boolean {
  return isAlertsError(error, 'token-endpoint-failed') && (error.status === 400 || error.status === 401);
}
