// The session of the browser that opened the page. The address that the command prints has a token; its first use gives a cookie, and
// the token is worth nothing from then on.
import { hash, timingSafeEqual } from 'node:crypto';

import type { SecretSource } from '../../lib/secret-source.ts';
import type { SecretText } from '../../lib/secret-text.ts';

export class Session {
  /** For the address; undefined once it was used. */
  #token: SecretText | undefined;
  readonly #cookie: SecretText;

  constructor(newSecret: SecretSource) {
    this.#token = newSecret();
    this.#cookie = newSecret();
  }

  /** What the address needs. Undefined once it was used. */
  get token(): SecretText | undefined {
    return this.#token;
  }

  /** The value of the cookie for the first request with the token; undefined for every other text. */
  redeem(token: string): SecretText | undefined {
    if (!this.#token || !isSameText(token, this.#token.reveal())) return undefined;
    this.#token = undefined;
    return this.#cookie;
  }

  isOpenFor(cookie: string | undefined): boolean {
    return cookie !== undefined && isSameText(cookie, this.#cookie.reveal());
  }
}

/** Takes the same time whatever differs, also the length. */
function isSameText(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
}
