// The service's two operations (section 4), each request inside the connection's rate limit and with its token. One
// refused token is replaced once; nothing else is repeated here, when to try again is the loop's decision. A list is
// whole or an error; a PATCH says what the answer proves and no more.
import type { AlertList } from '../alerts/types.ts';
import type { Clock } from '../lib/clock.ts';
import { isCodedError, CodedError, type ErrorCode } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import type { SecretText } from '../lib/secret-text.ts';
import { cancelled } from './cancelled.ts';
import type { ServiceOperation } from './classify.ts';
import { alertPath, listPath, versionQuery, type Endpoint } from './endpoint.ts';
import type { HttpRequest, HttpResponse } from './http-call.ts';
import { type Interpretation, interpretResponse, type Success } from './interpret-response.ts';
import { readPages } from './pages.ts';
import type { RateLimiter, ReservedRequests, WaitOptions } from './rate-limiter.ts';
import { type Permit, Semaphore } from './semaphore.ts';
import type { TokenSource } from './tokens.ts';
import type { Transport } from './transport.ts';

export interface RequestOptions extends WaitOptions {
  /** Used before the rate limiter is asked. Whoever reserved it releases it. */
  readonly prepaid?: ReservedRequests;
  /** Holds the place of the request in flight. Without it the request waits for one of its own. */
  readonly permit?: Permit;
}

export interface PatchRequestOptions extends RequestOptions {
  /**
   * Called in the same tick as every send: throw from it and nothing is sent, and that error comes out. Once it
   * returned, the PATCH may have reached the service whatever happens next.
   */
  readonly beforeSend?: () => void;
  /** Called when that send was answered 401, so that it changed nothing, and before it is repeated with another token. */
  readonly onRefused?: () => void;
}

/** Everything here throws `CodedError` only; `stopped` when the signal aborts or the client stops. */
export interface AlertClient {
  /** All pages, in the service's order, each one request of the rate limiter. */
  listAlerts(scope: string, options: RequestOptions): Promise<AlertList>;
  /** `sent` for a 204, `unproven` for any other 2xx. */
  patchAlert(
    scope: string,
    alertName: string,
    isActive: boolean,
    options: PatchRequestOptions,
  ): Promise<'sent' | 'unproven'>;
  /** Takes the tokens for a PATCH and its verifying LIST ahead of both, to be handed over as `prepaid`. */
  reserve(requests: number, options: WaitOptions): Promise<ReservedRequests>;
  /** Reads the credential again; true when it is not the one that was refused last, and when it can no longer be used. */
  credentialChanged(signal: AbortSignal): Promise<boolean>;
  /** Waits for a permit, to be handed over with requests that must follow each other closely. */
  acquirePermit(options: WaitOptions): Promise<Permit>;
  /** Cuts off what is under way and refuses what comes. The rate limiter is its owner's to stop. Repetition is harmless. */
  stop(): Promise<void>;
}

/** One request and what came of it, for metrics. */
export interface RequestSample {
  readonly operation: ServiceOperation;
  readonly outcome: 'ok' | ErrorCode;
  /** Absent when there was no answer. */
  readonly status?: number;
  /** From the send to the end of the answer; waiting for the rate limiter is not in it. */
  readonly durationMs: number;
}

export interface ClientLimits {
  readonly maxPages: number;
  readonly maxPageBytes: number;
  /** Requests under way at a time. */
  readonly maxConcurrent: number;
}

export interface AlertClientOptions {
  readonly endpoint: Endpoint;
  readonly limits: ClientLimits;
  readonly transport: Transport;
  readonly tokens: TokenSource;
  readonly rateLimiter: RateLimiter;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly userAgent: string;
  readonly observe?: (sample: RequestSample) => void;
}

interface Call {
  readonly operation: ServiceOperation;
  readonly target: string;
  readonly body?: string;
  readonly options: PatchRequestOptions;
}

interface Sent {
  readonly response: HttpResponse;
  readonly interpretation: Interpretation;
  readonly token: SecretText;
}

/**
 * A PATCH ends within this time, whatever the connection's deadline is: it may only be sent while this process surely keeps the
 * right to write for longer (the leader lease of 35 s is renewed every 5 s).
 */
export const longestPatchMs = 15_000;

/** Section 4.2: the body has only this field. */
const activeBody = '{"properties":{"isActive":true}}';
const inactiveBody = '{"properties":{"isActive":false}}';

/** Opens nothing before the first call. */
export function createAlertClient(options: AlertClientOptions): AlertClient {
  return new HttpAlertClient(options);
}

class HttpAlertClient implements AlertClient {
  readonly #options: AlertClientOptions;
  readonly #semaphore: Semaphore;
  readonly #query: string;
  #isStopped = false;

  constructor(options: AlertClientOptions) {
    this.#options = options;
    this.#semaphore = new Semaphore(options.limits.maxConcurrent);
    this.#query = versionQuery(options.endpoint);
  }

  async listAlerts(scope: string, options: RequestOptions): Promise<AlertList> {
    const { endpoint, limits } = this.#options;
    const path = listPath(endpoint, scope);
    return readPages({
      endpoint,
      listPath: path,
      firstTarget: `${path}${this.#query}`,
      maxPages: limits.maxPages,
      readPage: async (target) => (await this.#request({ operation: 'list', target, options })).response,
    });
  }

  async patchAlert(scope: string, alertName: string, isActive: boolean, options: PatchRequestOptions) {
    const target = `${alertPath(this.#options.endpoint, scope, alertName)}${this.#query}`;
    const body = isActive ? activeBody : inactiveBody;
    const { interpretation } = await this.#request({ operation: 'patch', target, body, options });
    return interpretation === 'succeeded' ? 'sent' : 'unproven';
  }

  reserve(requests: number, options: WaitOptions): Promise<ReservedRequests> {
    return this.#options.rateLimiter.reserve(requests, options);
  }

  credentialChanged(signal: AbortSignal): Promise<boolean> {
    return this.#options.tokens.credentialChanged(signal);
  }

  acquirePermit(options: WaitOptions): Promise<Permit> {
    return this.#semaphore.acquirePermit(options);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#options.transport.stop();
  }

  /** A successful answer, after one send, or two when the first token was refused. */
  async #request(call: Call): Promise<{ response: HttpResponse; interpretation: Success }> {
    let sent = await this.#send(call);
    if (this.#isWorthAnother(sent)) {
      call.options.onRefused?.();
      this.#options.log.info({ operation: call.operation }, 'token was refused, trying a new one');
      sent = await this.#send(call);
      this.#isWorthAnother(sent);
    }
    const { response, interpretation } = sent;
    if (interpretation instanceof CodedError) throw interpretation;
    return { response, interpretation };
  }

  #isWorthAnother({ response, token }: Sent): boolean {
    return response.status === 401 && this.#options.tokens.invalidate(token);
  }

  /**
   * The rate limiter comes first: it may take long, and a token or a permit must not be held meanwhile. The token is asked for again with
   * the permit, at no cost unless its credential's last reading has become old in the line.
   */
  async #send(call: Call): Promise<Sent> {
    const { tokens, rateLimiter } = this.#options;
    const { signal } = call.options;
    if (!call.options.prepaid?.use()) await rateLimiter.acquire(1, call.options);
    await tokens.token(signal);
    const permit = call.options.permit ?? (await this.#semaphore.acquirePermit(call.options));
    try {
      if (this.#isStopped) throw cancelled();
      const token = await tokens.token(signal);
      rateLimiter.throwIfThrottled();
      return { ...(await this.#call(call, token)), token };
    } finally {
      if (permit !== call.options.permit) permit.release();
    }
  }

  async #call(call: Call, token: SecretText): Promise<{ response: HttpResponse; interpretation: Interpretation }> {
    const { transport, clock, random, rateLimiter } = this.#options;
    const startMs = clock.monotonic();
    try {
      const response = await transport.send(this.#requestFor(call, token));
      const interpretation = interpretResponse(call.operation, response, { secret: token, nowMs: clock.now(), random });
      if (isCodedError(interpretation, 'service-busy'))
        rateLimiter.throttleUntil(clock.now() + (interpretation.retryAfterMs ?? 0));
      this.#observe(call, startMs, interpretation, response.status);
      return { response, interpretation };
    } catch (error) {
      this.#observe(call, startMs, error);
      throw error;
    }
  }

  #requestFor({ operation, target, body, options }: Call, token: SecretText): HttpRequest {
    const { endpoint, limits, userAgent, rateLimiter } = this.#options;
    const headers = [
      'accept',
      'application/json',
      'accept-encoding',
      'identity',
      'user-agent',
      userAgent,
      'authorization',
      `Bearer ${token.reveal()}`,
    ];
    if (body !== undefined) headers.push('content-type', 'application/json');
    return {
      origin: endpoint.origin,
      target,
      method: operation === 'list' ? 'GET' : 'PATCH',
      headers,
      bodyLimitBytes: limits.maxPageBytes,
      signal: options.signal,
      ...(body !== undefined && { body }),
      ...(operation === 'patch' && { timeoutMs: longestPatchMs }),
      beforeSend() {
        // Connecting takes a moment, and in that moment another answer may have asked everybody to wait.
        rateLimiter.throwIfThrottled();
        options.beforeSend?.();
      },
    };
  }

  #observe({ operation }: Call, startMs: number, result: unknown, status?: number): void {
    const { observe, clock } = this.#options;
    if (!observe) return;
    const outcome = typeof result === 'string' ? 'ok' : isCodedError(result) ? result.code : 'stopped';
    const durationMs = clock.monotonic() - startMs;
    observe({ operation, outcome, durationMs, ...(status !== undefined && { status }) });
  }
}
