// The way of a connection to its service: sockets that trust its CA bundle, and the token of its credential, both as they were last read.
// Another value opens new sockets and fetches a new token; a failed reading ends the use of both. Old sockets close after their last request.
import { type AlertsError, isAlertsError } from '../../alerts/alerts-error.ts';
import { Cached } from '../../lib/cached.ts';
import type { Clock } from '../../lib/clock.ts';
import { CodedError, isCoded, StoppedError, valueOf } from '../../lib/errors.ts';
import type { SecretText } from '../../lib/secret-text.ts';
import type { Endpoint } from './endpoint.ts';
import { createTokens, type FetchToken, type TokensOptions } from './tokens.ts';
import type { Transport } from './transport.ts';

export interface ServiceWayOptions extends Omit<TokensOptions, 'fetchToken'> {
  readonly endpoint: Endpoint;
  readonly credential: Cached<SecretText>;
  /** Absent: the system's trust store. */
  readonly caBundle: Cached<string> | undefined;
  /** Throws `tls-failed` when the bundle holds no certificates. */
  readonly openTransport: (caBundle: string | undefined) => Transport;
  readonly fetchToken: FetchToken;
}

interface Opened {
  readonly credential: SecretText;
  readonly caBundle: string | undefined;
  readonly transport: Transport;
  readonly tokens: Cached<SecretText>;
  /** Requests that wait for the token or are in flight. */
  users: number;
  /** When a rejected token was dropped last. */
  droppedAtMs: number;
}

/** What one request uses. */
export interface UsedWay {
  readonly transport: Transport;
  readonly token: SecretText;
}

/** A second rejection within this time after a replacement means that the credential itself is not accepted. */
const replaceEveryMs = 20_000;

export class ServiceWay {
  readonly #options: ServiceWayOptions;
  #current: Opened | undefined;
  /** Includes former ones that still have users. */
  readonly #open = new Set<Opened>();
  #isStopped = false;

  constructor(options: ServiceWayOptions) {
    this.#options = options;
  }

  /** Throws `stopped` after a stop. */
  get endpoint(): Endpoint {
    this.#throwIfStopped();
    return this.#options.endpoint;
  }

  /**
   * Calls `work` in the tick in which both readings and the token are current. Rejects with what reading them throws,
   * `token-endpoint-failed`, `tls-failed`, `endpoint-invalid` or `stopped`.
   */
  async use<T>(signal: AbortSignal, work: (used: UsedWay) => Promise<T>): Promise<T> {
    const opened = await this.#read(signal);
    opened.users += 1;
    try {
      const [token] = await Promise.allSettled([opened.tokens.current(signal)]);
      // A fetch that failed may have used a credential or a CA bundle that has just changed.
      await this.#read(signal);
      if (opened === this.#current) return await work({ transport: opened.transport, token: valueOf(token) });
    } finally {
      opened.users -= 1;
      this.#closeIfUnused(opened);
    }
    return this.use(signal, work);
  }

  /** Receives the failure of a request. True when its repetition may succeed, with another token or other sockets. */
  async mayRetry(used: UsedWay, error: AlertsError, signal: AbortSignal): Promise<boolean> {
    if (isAlertsError(error, 'service-denied')) return this.#dropToken(used);
    if (!isAlertsError(error, 'tls-failed')) return false;
    this.#expire();
    return (await this.#read(signal)).transport !== used.transport;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const open = [...this.#open];
    this.#open.clear();
    await Promise.all(open.map(({ transport }) => transport.stop()));
  }

  async #read(signal: AbortSignal): Promise<Opened> {
    this.#throwIfStopped();
    try {
      const readings = await Promise.allSettled([
        this.#options.credential.current(signal),
        this.#options.caBundle?.current(signal),
      ]);
      // In this order: with whichever fails first, the reason of the connection would change from reading to reading.
      const [credential, caBundle] = [valueOf(readings[0]), valueOf(readings[1])];
      this.#throwIfStopped();
      const current = this.#current;
      if (current?.credential.equals(credential) && current.caBundle === caBundle) return current;
      return this.#replaceBy(credential, caBundle);
    } catch (error) {
      if (isAlertsError(error, 'tls-failed')) this.#expire();
      if (!signal.aborted) this.#retire();
      throw error;
    }
  }

  #throwIfStopped(): void {
    if (this.#isStopped) throw new StoppedError();
  }

  #replaceBy(credential: SecretText, caBundle: string | undefined): Opened {
    this.#retire();
    const transport = this.#options.openTransport(caBundle);
    const tokens = createTokens({
      ...this.#options,
      fetchToken: async (signal) => {
        try {
          return await this.#options.fetchToken(credential, transport, signal);
        } catch (error) {
          this.#expire();
          throw error;
        }
      },
    });
    this.#current = { credential, caBundle, transport, tokens, users: 0, droppedAtMs: -Infinity };
    this.#open.add(this.#current);
    return this.#current;
  }

  #expire(): void {
    this.#options.credential.expire();
    this.#options.caBundle?.expire();
  }

  #retire(): void {
    const retired = this.#current;
    this.#current = undefined;
    if (retired) this.#closeIfUnused(retired);
  }

  #closeIfUnused(opened: Opened): void {
    if (opened === this.#current || opened.users > 0 || !this.#open.delete(opened)) return;
    void opened.transport.stop();
  }

  /** True also for a token that is not the current one any more. */
  #dropToken({ transport, token }: UsedWay): boolean {
    const current = this.#current;
    if (current?.transport !== transport || !current.tokens.value?.equals(token)) return true;
    const nowMs = this.#options.clock.monotonic();
    if (nowMs - current.droppedAtMs < replaceEveryMs) return false;
    current.droppedAtMs = nowMs;
    current.tokens.drop();
    this.#expire();
    return true;
  }
}

/** `read-timeout`: no response before the deadline. `read-failed`: a bug here or in `read`. */
export type ReadingErrorCode = 'read-timeout' | 'read-failed';

export class ReadingError extends CodedError<ReadingErrorCode> {}

/** The one error of the API server that is handled here. */
type KubeReadErrorCode = 'kube-unreachable';

export type Read<T> = (signal: AbortSignal) => Promise<T>;

const readAgainAfterMs = 60_000;
export const readDeadlineMs = 10_000;

/**
 * A value of the API server that a connection refers to, such as a Secret, as it was last read. It is read again before it is used, once a
 * minute has passed since the last reading; an idle connection reads nothing. A rejection with `kube-unreachable` or `stopped` keeps the
 * last value; any other ends its use.
 */
export function createReading<T>({ clock, read }: { readonly clock: Clock; readonly read: Read<T> }): Cached<T> {
  return new Cached({
    clock,
    async load(signal) {
      // From its beginning: a reading may miss a change that happens during it.
      const staleAtMs = clock.monotonic() + readAgainAfterMs;
      return { value: await read(signal), staleAtMs };
    },
    deadlineMs: readDeadlineMs,
    late: () => new ReadingError('read-timeout', 'The API server did not respond before the deadline.'),
    toFailure: toCodedError,
    isKeptAfter: isUnanswered,
  });
}

/** True when a read got no response, which proves nothing about the value: the last one stays in use. */
function isUnanswered(error: CodedError): boolean {
  return (
    error instanceof StoppedError ||
    isCoded<KubeReadErrorCode | ReadingErrorCode>(error, 'kube-unreachable', 'read-timeout')
  );
}

/** Any other error is a bug, and its text may contain the credential, so it is replaced. */
function toCodedError(error: unknown): CodedError {
  if (isCoded(error)) return error;
  return new ReadingError('read-failed', 'The value could not be read.');
}
