// Exchanges an assertion for an access token. The assertion lasts for several exchanges: a cache renews it before its end. When the
// token endpoint refuses one that was in use, its issuer may have changed its keys, so a new one is tried at once.
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
  const { requestAssertion, exchange } = options;
  const assertions = new TokenCache({ ...options, fetchToken: requestAssertion });
  let inUse: SecretText | undefined;
  return async (signal) => {
    const assertion = await assertions.token(signal);
    const wasInUse = inUse === assertion;
    inUse = assertion;
    try {
      return await exchange(assertion, signal);
    } catch (error) {
      if (!isRefusal(error) || !assertions.invalidate(assertion) || !wasInUse) throw error;
      inUse = await assertions.token(signal);
      return exchange(inUse, signal);
    }
  };
}

/** RFC 6749, 5.2: the statuses with which a token endpoint refuses a client. */
function isRefusal(error: unknown): boolean {
  return isAlertsError(error, 'token-endpoint-failed') && (error.status === 400 || error.status === 401);
}
