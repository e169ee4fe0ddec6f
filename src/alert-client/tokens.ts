// The token got with one credential, kept in memory: fetched once for everybody who waits, renewed in the background
// while the old one still works, dropped when the service refuses it. How a token is fetched is a parameter, and how long the
// credential may be used is credential-tokens.ts's.
import type { Clock, Timer } from '../lib/clock.ts';
import { CodedError, isCodedError } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import { jitter, type Random } from '../lib/random.ts';
import type { SecretText } from '../lib/secret-text.ts';
import { untilAborted } from './cancelled.ts';
import { FailureHold } from './failure-hold.ts';

export interface TokenSource {
  /** Throws what reading the credential throws, `token-endpoint-failed`, `tls-failed`, `endpoint-invalid`, `stopped`. */
  token(signal: AbortSignal): Promise<SecretText>;
  /** The service refused `token`. True when another try with `token()` is worth it. */
  invalidate(token: SecretText): boolean;
  /** Reads the credential again; true when it is not the one that was refused last, and when it can no longer be used. */
  credentialChanged(signal: AbortSignal): Promise<boolean>;
}

export interface FetchedToken {
  readonly token: SecretText;
  /** Undefined for one that lasts until it is refused. */
  readonly lifeMs: number | undefined;
}

export interface TokenCacheOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** For one call of the token endpoint. */
  readonly timeoutMs: number;
  readonly fetchToken: (signal: AbortSignal) => Promise<FetchedToken>;
}

interface KeptToken {
  readonly token: SecretText;
  readonly renewAtMs: number;
  readonly endsAtMs: number;
}

const renewAtLife = 0.8;
const renewJitter = 0.05;
/** The rest is for requests on their way and for clocks that differ. */
const endsAtLife = 0.95;
/** After a token was replaced because it was refused, the next refusal within this time is believed. */
const replaceEveryMs = 20_000;

/** The tokens of one credential. */
export class TokenCache {
  readonly #options: TokenCacheOptions;
  #kept: KeptToken | undefined;
  #fetching: Promise<SecretText> | undefined;
  #replacedAtMs = -Infinity;
  readonly #hold: FailureHold;

  constructor(options: TokenCacheOptions) {
    this.#options = options;
    this.#hold = new FailureHold(options);
  }

  async token(signal: AbortSignal): Promise<SecretText> {
    const nowMs = this.#options.clock.monotonic();
    const kept = this.#kept;
    if (!kept || nowMs >= kept.endsAtMs) return untilAborted(this.#fetchOnce(), signal);
    if (nowMs >= kept.renewAtMs && !this.#hold.error) this.#renewBehind();
    return kept.token;
  }

  /** True while `token` is the one that is given out. */
  keeps(token: SecretText): boolean {
    return this.#kept?.token.equals(token) ?? false;
  }

  /** See `TokenSource.invalidate`. */
  invalidate(token: SecretText): boolean {
    if (!this.keeps(token)) return true;
    const nowMs = this.#options.clock.monotonic();
    if (nowMs - this.#replacedAtMs < replaceEveryMs) return false;
    this.#kept = undefined;
    this.#replacedAtMs = nowMs;
    return true;
  }

  #renewBehind(): void {
    this.#fetchOnce().catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'token could not be renewed, the old one still works');
    });
  }

  /** One fetch at a time, whoever asks; it belongs to nobody's signal. */
  #fetchOnce(): Promise<SecretText> {
    const failure = this.#hold.error;
    if (failure) return Promise.reject(failure);
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
      this.#hold.clear();
      return fetched.token;
    } catch (error) {
      const failure = toCodedError(error);
      this.#hold.note(failure, failure.retryAfterMs);
      throw failure;
    }
  }

  #keep({ token, lifeMs = Infinity }: FetchedToken): void {
    const { clock, random } = this.#options;
    const nowMs = clock.monotonic();
    const renewAfterMs = lifeMs === Infinity ? Infinity : jitter(random, lifeMs * renewAtLife, renewJitter);
    this.#kept = { token, renewAtMs: nowMs + renewAfterMs, endsAtMs: nowMs + lifeMs * endsAtLife };
  }
}

/** Anything else is a fault of ours or of the port; its text may hold the credential, so it is not passed on. */
function toCodedError(error: unknown): CodedError {
  if (isCodedError(error)) return error;
  return new CodedError('token-endpoint-failed', 'The token could not be fetched.');
}

/** Gives up on `work` when it takes too long, also when it does not listen to its signal. */
async function withDeadline<T>(clock: Clock, timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = new AbortController();
  let timer: Timer | undefined;
  const passed = new Promise<never>((_resolve, reject) => {
    timer = clock.setTimer(timeoutMs, () => {
      reject(new CodedError('token-endpoint-failed', 'The token was not there before the deadline.'));
      deadline.abort();
    });
  });
  try {
    return await Promise.race([work(deadline.signal), passed]);
  } finally {
    timer?.cancel();
  }
}
