// The tokens of one connection, bound to the credential that fetched them: a token is used only as long as the API server
// still holds that credential. A changed credential starts with an empty cache.
import type { Cached } from '../lib/cached.ts';
import { type MaybePromise, thenOrNow } from '../lib/maybe-promise.ts';
import type { SecretText } from '../lib/secret-text.ts';
import { type FetchedToken, TokenCache, type TokenCacheOptions, type TokenSource } from './tokens.ts';

export interface CredentialTokensOptions extends Omit<TokenCacheOptions, 'fetchToken'> {
  readonly credential: Pick<Cached<SecretText>, 'current' | 'expire'>;
  /** The fetch of one credential. Called once for each change of the credential, so it may keep what only that one may use. */
  readonly openFetch: (credential: SecretText) => (signal: AbortSignal) => Promise<FetchedToken>;
}

interface Bound {
  readonly credential: SecretText;
  readonly cache: TokenCache;
}

export class CredentialTokens implements TokenSource {
  readonly #options: CredentialTokensOptions;
  #bound: Bound | undefined;

  constructor(options: CredentialTokensOptions) {
    this.#options = options;
  }

  token(signal: AbortSignal): MaybePromise<SecretText> {
    return thenOrNow(this.#bind(signal), (bound) =>
      thenOrNow(bound.cache.token(signal), (token) => (bound === this.#bound ? token : this.token(signal))),
    );
  }

  invalidate(token: SecretText): boolean {
    const bound = this.#bound;
    if (!bound?.cache.keeps(token)) return true;
    const isWorthIt = bound.cache.invalidate(token);
    if (isWorthIt) this.#options.credential.expire();
    return isWorthIt;
  }

  #bind(signal: AbortSignal): MaybePromise<Bound> {
    return thenOrNow(this.#read(signal), (credential) => {
      if (!this.#bound?.credential.equals(credential)) this.#bound = this.#emptyFor(credential);
      return this.#bound;
    });
  }

  #read(signal: AbortSignal): MaybePromise<SecretText> {
    const credential = this.#options.credential.current(signal);
    if (!(credential instanceof Promise)) return credential;
    return credential.catch((error: unknown) => {
      if (!signal.aborted) this.#bound = undefined;
      throw error;
    });
  }

  #emptyFor(credential: SecretText): Bound {
    const fetchToken = this.#options.openFetch(credential);
    const cache = new TokenCache({
      ...this.#options,
      fetchToken: async (signal) => {
        try {
          return await fetchToken(signal);
        } catch (error) {
          // The token endpoint may have rejected a credential that has just changed.
          this.#options.credential.expire();
          throw error;
        }
      },
    });
    return { credential, cache };
  }
}
