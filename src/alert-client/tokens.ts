// The bearer token of one connection, kept in memory: fetched once for everybody who waits, renewed in the background
// while the old one still works, dropped when the service refuses it. How a token is fetched is a parameter.
import type { Clock, Timer } from '../lib/clock.ts';
import { isOperatorError, OperatorError } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import { jitter, type Random } from '../lib/random.ts';
import type { SecretText } from '../lib/secret-text.ts';
import { parseBearerToken } from './bearer-token.ts';
import { untilAborted } from './cancelled.ts';

export interface TokenSource {
  /** Throws what reading the credential throws, `token-endpoint-failed`, `tls-failed`, `endpoint-invalid`, `stopped`. */
  token(signal: AbortSignal): Promise<SecretText>;
  /** The service refused `token`. True when another try with `token()` is worth it. */
  invalidate(token: SecretText): boolean;
}

/** Reads one value of a Secret. May throw `credential-missing` or `credential-not-allowed`. */
export type ReadCredential = (signal: AbortSignal) => Promise<SecretText>;

export interface FetchedToken {
  readonly token: SecretText;
  /** Undefined for one that lasts until it is refused. */
  readonly lifeMs: number | undefined;
}

export interface TokenCacheOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** For reading the credential and calling the token endpoint together. */
  readonly timeoutMs: number;
  readonly fetchToken: (signal: AbortSignal) => Promise<FetchedToken>;
}

interface KeptToken {
  readonly token: SecretText;
  readonly renewAtMs: number;
  readonly endsAtMs: number;
}

/** A bearer token that something else rotates: read when needed, and again after the service refused it. */
export function createBearerTokenSource(
  options: Omit<TokenCacheOptions, 'fetchToken'> & { readonly readCredential: ReadCredential },
): TokenSource {
  return new TokenCache({
    ...options,
    fetchToken: async (signal) => ({
      token: parseBearerToken(await options.readCredential(signal)),
      lifeMs: undefined,
    }),
  });
}

const renewAtLife = 0.8;
const renewJitter = 0.05;
/** The rest is for requests on their way and for clocks that differ. */
const endsAtLife = 0.95;
/** After a token was replaced because it was refused, the next refusal within this time is believed. */
const replaceEveryMs = 20_000;
const firstHoldMs = 1000;
/** With its jitter below the 30 s after which the loop reads a broken connection's Secret again. */
const longestHoldMs = 20_000;

export class TokenCache implements TokenSource {
  readonly #options: TokenCacheOptions;
  #kept: KeptToken | undefined;
  #fetching: Promise<SecretText> | undefined;
  #replacedAtMs = -Infinity;
  /** The last failure, repeated to everybody until its hold is over: a broken endpoint is not asked once per scope. */
  #failure: { readonly error: OperatorError; readonly heldUntilMs: number; readonly count: number } | undefined;

  constructor(options: TokenCacheOptions) {
    this.#options = options;
  }

  async token(signal: AbortSignal): Promise<SecretText> {
    const nowMs = this.#options.clock.monotonic();
    const kept = this.#kept;
    if (!kept || nowMs >= kept.endsAtMs) return untilAborted(this.#fetchOnce(), signal);
    if (nowMs >= kept.renewAtMs && !this.#isHeld(nowMs)) this.#renewBehind();
    return kept.token;
  }

  invalidate(token: SecretText): boolean {
    if (this.#kept === undefined || !this.#kept.token.equals(token)) return true;
    const nowMs = this.#options.clock.monotonic();
    if (nowMs - this.#replacedAtMs < replaceEveryMs) return false;
    this.#kept = undefined;
    this.#replacedAtMs = nowMs;
    return true;
  }

  #isHeld(nowMs: number): boolean {
    return this.#failure !== undefined && nowMs < this.#failure.heldUntilMs;
  }

  #renewBehind(): void {
    this.#fetchOnce().catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'token could not be renewed, the old one still works');
    });
  }

  /** One fetch at a time, whoever asks; it belongs to nobody's signal. */
  #fetchOnce(): Promise<SecretText> {
    const nowMs = this.#options.clock.monotonic();
    if (this.#failure && nowMs < this.#failure.heldUntilMs) {
      return Promise.reject(held(this.#failure.error, this.#failure.heldUntilMs - nowMs));
    }
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetch(): Promise<SecretText> {
    const { clock, timeoutMs, fetchToken } = this.#options;
    try {
      const fetched = await withDeadline(clock, timeoutMs, fetchToken);
      this.#keep(fetched);
      this.#failure = undefined;
      return fetched.token;
    } catch (error) {
      this.#hold(toOperatorError(error));
      throw toOperatorError(error);
    }
  }

  #keep({ token, lifeMs = Infinity }: FetchedToken): void {
    const { clock, random } = this.#options;
    const nowMs = clock.monotonic();
    const renewAfterMs = lifeMs === Infinity ? Infinity : jitter(random, lifeMs * renewAtLife, renewJitter);
    this.#kept = { token, renewAtMs: nowMs + renewAfterMs, endsAtMs: nowMs + lifeMs * endsAtLife };
  }

  #hold(error: OperatorError): void {
    const { clock, random } = this.#options;
    const count = (this.#failure?.count ?? 0) + 1;
    const backOffMs = Math.min(firstHoldMs * 2 ** (count - 1), longestHoldMs);
    const holdMs = Math.max(jitter(random, backOffMs, 0.2), error.retryAfterMs ?? 0);
    this.#failure = { error, heldUntilMs: clock.monotonic() + holdMs, count };
  }
}

/** The same failure, with how long it is pointless to ask again. */
function held(error: OperatorError, leftMs: number): OperatorError {
  return new OperatorError(error.code, error.message, {
    retryAfterMs: leftMs,
    ...(error.status !== undefined && { status: error.status }),
    ...(error.serviceCode !== undefined && { serviceCode: error.serviceCode }),
    ...(error.detail !== undefined && { detail: error.detail }),
  });
}

/** Anything else is a fault of ours or of the port; its text may hold the credential, so it is not passed on. */
function toOperatorError(error: unknown): OperatorError {
  if (isOperatorError(error)) return error;
  return new OperatorError('token-endpoint-failed', 'The token could not be fetched.');
}

/** Gives up on `work` when it takes too long, also when it does not listen to its signal. */
async function withDeadline<T>(clock: Clock, timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = new AbortController();
  let timer: Timer | undefined;
  const passed = new Promise<never>((_resolve, reject) => {
    timer = clock.setTimer(timeoutMs, () => {
      reject(new OperatorError('token-endpoint-failed', 'The token was not there before the deadline.'));
      deadline.abort();
    });
  });
  try {
    return await Promise.race([work(deadline.signal), passed]);
  } finally {
    timer?.cancel();
  }
}
