// The keys of issuers whose tokens clients trust. jose reads them before the first use, again when they are old, and when a token names an
// unknown key, by the clock of the system: so a rotation needs no change here, and unknown keys cause no flood of requests.
import { pathToFileURL } from 'node:url';

import {
  createRemoteJWKSet,
  customFetch,
  type JWK,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from 'jose';

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
  const keySets = new WeakMap<FederatedTrust, JWTVerifyGetKey>();
  const keysOf = (trust: FederatedTrust) => {
    const known = keySets.get(trust) ?? keySetOf(trust, deps);
    keySets.set(trust, known);
    return known;
  };
  return { verify: (trust, text, options) => verifyWithKeys(text, keysOf(trust), options) };
}

function keySetOf(trust: FederatedTrust, deps: IssuerKeysDeps): JWTVerifyGetKey {
  const { keys } = trust;
  return createRemoteJWKSet('file' in keys ? pathToFileURL(keys.file) : new URL(keys.url), {
    cooldownDuration: readAgainAfterMs,
    cacheMaxAge: 'file' in keys ? keptForMs.file : keptForMs.url,
    [customFetch]: createReading(trust, deps),
  });
}

/** Reads the keys, with what jose does without: our CA, token and size limit, a file, and a rest after a failure. Logs a problem once. */
function createReading({ issuer, keys }: FederatedTrust, { read, clock, log }: IssuerKeysDeps) {
  let failure: { readonly error: IssuerKeysError; readonly atMs: number } | undefined;
  return async (): Promise<Response> => {
    const atMs = clock.monotonic();
    if (failure && atMs - failure.atMs < readAgainAfterMs) throw failure.error;
    try {
      const usable = decodeIssuerKeys(await read(keys));
      failure = undefined;
      return Response.json({ keys: usable });
    } catch (cause) {
      const problem = messageOf(cause);
      const error = new IssuerKeysError(
        'keys-unavailable',
        `The keys of the issuer ${issuer} cannot be read: ${problem}.`,
      );
      if (failure?.error.message !== error.message) log.warn({ issuer, error: problem }, 'issuer keys not readable');
      failure = { error, atMs };
      throw error;
    }
  };
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
