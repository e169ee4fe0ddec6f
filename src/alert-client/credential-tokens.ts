// The tokens of one connection, bound to the credential that fetched them: a token is used only as long as the API server
// still holds that credential. A changed credential starts with an empty cache.
import { isAlertsError } from '../alerts/alerts-error.ts';
import type { SecretText } from '../lib/secret-text.ts';
import type { Reading } from './reading.ts';
import { type FetchedToken, TokenCache, type TokenCacheOptions, type TokenSource } from './tokens.ts';

export interface CredentialTokensOptions extends Omit<TokenCacheOptions, 'fetchToken'> {
  readonly credential: Pick<Reading<SecretText>, 'current' | 'expire'>;
  readonly fetchToken: (credential: SecretText, signal: AbortSignal) => Promise<FetchedToken>;
}

interface Bound {
  readonly credential: SecretText;
  readonly cache: TokenCache;
}

export class CredentialTokens implements TokenSource {
  readonly #options: CredentialTokensOptions;
  #bound: Bound | undefined;
  /** The credential whose token the service rejected last. */
  #refused: SecretText | undefined;

  constructor(options: CredentialTokensOptions) {
    this.#options = options;
  }

  async token(signal: AbortSignal): Promise<SecretText> {
    const bound = await this.#bind(signal);
    const token = await bound.cache.token(signal);
    return bound === this.#bound ? token : this.token(signal);
  }

  invalidate(token: SecretText): boolean {
    const bound = this.#bound;
    if (!bound?.cache.keeps(token)) return true;
    this.#refused = bound.credential;
    const isWorthIt = bound.cache.invalidate(token);
    if (isWorthIt) this.#options.credential.expire();
    return isWorthIt;
  }

  async credentialChanged(signal: AbortSignal): Promise<boolean> {
    this.#options.credential.expire();
    try {
      const { credential } = await this.#bind(signal);
      return this.#refused === undefined || !this.#refused.equals(credential);
    } catch (error) {
      if (isAlertsError(error, 'credential-missing', 'credential-not-allowed')) return true;
      throw error;
    }
  }

  async #bind(signal: AbortSignal): Promise<Bound> {
    const credential = await this.#read(signal);
    if (!this.#bound?.credential.equals(credential)) this.#bound = this.#emptyFor(credential);
    return this.#bound;
  }

  async #read(signal: AbortSignal): Promise<SecretText> {
    try {
      return await this.#options.credential.current(signal);
    } catch (error) {
      if (!signal.aborted) this.#bound = undefined;
      throw error;
    }
  }

  #emptyFor(credential: SecretText): Bound {
    const { fetchToken } = this.#options;
    const cache = new TokenCache({
      ...this.#options,
      fetchToken: async (signal) => {
        try {
          return await fetchToken(credential, signal);
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
