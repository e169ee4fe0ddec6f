// The keys of issuers whose tokens clients trust. They are read before the first use, again when they are old, and when a token
// names an unknown key: so a rotation needs no change here, and unknown keys cause no flood of requests.
import { errors, type JWK, type JWTPayload, type JWTVerifyOptions } from 'jose';

import type { Clock } from '../../../lib/clock.ts';
import { CodedError, messageOf } from '../../../lib/errors.ts';
import { arrayOf, isObject, objectOf, parseJson } from '../../../lib/json-shape.ts';
import type { Logger } from '../../../lib/log.ts';
import type { FederatedTrust } from '../federated-trust.ts';
import { keysLimit, verifyWithKeys } from './assertion-keys.ts';
import type { ReadKeySource } from './key-source.ts';

/** The keys of an issuer cannot be read, so nothing can be said about its token. */
export class IssuerKeysError extends CodedError<'keys-unavailable'> {}

export interface IssuerKeys {
  /** The claims of a token that one of the keys signed. Rejects as `jwtVerify` does, and with `keys-unavailable`. */
  verify(trust: FederatedTrust, text: string, options: JWTVerifyOptions): Promise<JWTPayload>;
}

export interface IssuerKeysDeps {
  readonly read: ReadKeySource;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Until a key that the issuer has withdrawn is no longer accepted. */
const keptForMs = { file: 30_000, url: 600_000 };

/** The shortest time between two readings, whatever tokens arrive. */
const readAgainAfterMs = 5000;

export function createIssuerKeys(deps: IssuerKeysDeps): IssuerKeys {
  const kept = new WeakMap<FederatedTrust, KeptKeys>();
  const keysOf = (trust: FederatedTrust) => {
    const known = kept.get(trust) ?? new KeptKeys(trust, deps);
    kept.set(trust, known);
    return known;
  };
  return {
    async verify(trust, text, options) {
      const keys = keysOf(trust);
      try {
        return await verifyWithKeys(text, await keys.current(), options);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || !keys.mayReadAgain) throw error;
        return verifyWithKeys(text, await keys.read(), options);
      }
    },
  };
}

interface Read {
  readonly keys: readonly JWK[];
  readonly atMs: number;
}

class KeptKeys {
  readonly #trust: FederatedTrust;
  readonly #deps: IssuerKeysDeps;
  #last: Read | undefined;
  #failure: IssuerKeysError | undefined;
  #begunAtMs = -Infinity;
  #underWay: Promise<readonly JWK[]> | undefined;

  constructor(trust: FederatedTrust, deps: IssuerKeysDeps) {
    this.#trust = trust;
    this.#deps = deps;
  }

  get mayReadAgain(): boolean {
    return this.#underWay !== undefined || this.#deps.clock.monotonic() - this.#begunAtMs >= readAgainAfterMs;
  }

  async current(): Promise<readonly JWK[]> {
    if (this.#last && this.#deps.clock.monotonic() - this.#last.atMs < this.#keptForMs) return this.#last.keys;
    if (this.#failure && !this.mayReadAgain) throw this.#failure;
    return this.read();
  }

  /** One reading at a time, for all tokens that wait for it. */
  read(): Promise<readonly JWK[]> {
    this.#underWay ??= this.#read().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  get #keptForMs(): number {
    return 'file' in this.#trust.keys ? keptForMs.file : keptForMs.url;
  }

  async #read(): Promise<readonly JWK[]> {
    const atMs = this.#deps.clock.monotonic();
    this.#begunAtMs = atMs;
    try {
      const keys = decodeIssuerKeys(await this.#deps.read(this.#trust.keys));
      this.#last = { keys, atMs };
      this.#failure = undefined;
      return keys;
    } catch (error) {
      throw this.#noteFailure(messageOf(error));
    }
  }

  /** Logs a problem once. */
  #noteFailure(problem: string): IssuerKeysError {
    const { issuer } = this.#trust;
    const message = `The keys of the issuer ${issuer} cannot be read: ${problem}.`;
    if (this.#failure?.message !== message) this.#deps.log.warn({ issuer, error: problem }, 'issuer keys not readable');
    this.#failure = new IssuerKeysError('keys-unavailable', message);
    return this.#failure;
  }
}

/** The public keys for signatures in a JWKS; others are left out. Throws with the reason when there are none, or too many. */
export function decodeIssuerKeys(text: string): readonly JWK[] {
  const { keys } = objectOf(parseJson(text));
  const usable = arrayOf(keys).filter(isSigningKey);
  if (usable.length === 0) throw new Error('they are no JWKS with a public key for signatures');
  if (usable.length > keysLimit) throw new Error(`there are more than ${keysLimit} keys`);
  return usable;
}

function isSigningKey(key: unknown): key is JWK {
  return (
    isObject(key) &&
    ['EC', 'RSA', 'OKP'].includes(String(key['kty'])) &&
    key['d'] === undefined &&
    (key['use'] ?? 'sig') === 'sig'
  );
}
