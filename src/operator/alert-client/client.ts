// Sends the two operations of the service (section 4). Each request passes the connection's rate limiter and carries its token.
// The client replaces a rejected token once; it retries nothing else, because the controller decides when to try again.
// A LIST returns all pages or fails; a PATCH returns only what its response proves.
import { AlertsError, isAlertsError } from '../../alerts/alerts-error.ts';
import type { AlertList } from '../../alerts/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { isCoded, StoppedError, valueOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import type { SecretText } from '../../lib/secret-text.ts';
import { type Permit, Semaphore } from '../../lib/semaphore.ts';
import type { AlertClient, CallOptions, PatchOptions, Reservation, WaitOptions } from './alert-client.ts';
import { interpretResponse, type ServiceOperation, type Success } from './classify.ts';
import { alertPath, listPath, versionQuery } from './endpoint.ts';
import type { HttpRequest, HttpResponse } from './http-call.ts';
import { readPages } from './pages.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { UsedWay, ServiceWay } from './service-way.ts';

/** One request and its outcome, for metrics. */
export interface RequestSample {
  readonly operation: ServiceOperation;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  /** Absent when there was no response. */
  readonly status?: number;
  /** From the send to the end of the response, without the wait for the rate limiter. */
  readonly durationMs: number;
}

export interface ClientLimits {
  readonly maxPages: number;
  readonly maxPageBytes: number;
  /** Requests in flight at a time. */
  readonly maxConcurrent: number;
}

export interface AlertClientOptions {
  /** Or why there is none: each call throws it. */
  readonly way: PromiseSettledResult<ServiceWay>;
  readonly limits: ClientLimits;
  readonly rateLimiter: RateLimiter;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly userAgent: string;
  readonly observe?: (sample: RequestSample) => void;
}

interface AlertRequest {
  readonly operation: ServiceOperation;
  readonly target: string;
  readonly body?: string;
  readonly options: CallOptions;
}

interface Answered {
  readonly response: HttpResponse;
  readonly interpretation: Success;
}

interface Sent {
  readonly used: UsedWay;
  readonly result: Answered | AlertsError;
}

/**
 * The deadline of a PATCH, whatever the connection's own deadline is. A process sends a PATCH only while its leader lease
 * (35 s, renewed every 5 s) certainly lasts longer than this.
 */
export const longestPatchMs = 15_000;

/** Section 4.2: the body has only this field. */
const activeBody = '{"properties":{"isActive":true}}';
const inactiveBody = '{"properties":{"isActive":false}}';

/** Opens nothing before the first call. */
export class HttpAlertClient implements AlertClient {
  readonly #options: AlertClientOptions;
  /**
   * For requests in flight, never for the wait for the rate limiter. First come, first served: a connection has no more resyncs under way than
   * permits, so an edit waits for no more than the requests in flight.
   */
  readonly #permits: Semaphore;

  constructor(options: AlertClientOptions) {
    this.#options = options;
    this.#permits = new Semaphore(options.limits.maxConcurrent);
  }

  async listAlerts(scope: string, options: CallOptions): Promise<AlertList> {
    const { endpoint } = this.#way;
    const path = listPath(endpoint, scope);
    return readPages({
      endpoint,
      listPath: path,
      firstTarget: `${path}${versionQuery(endpoint)}`,
      maxPages: this.#options.limits.maxPages,
      readPage: async (target) => (await this.#request({ operation: 'list', target, options })).response,
    });
  }

  async patchAlert(scope: string, alertName: string, isActive: boolean, options: PatchOptions) {
    const { endpoint } = this.#way;
    const target = `${alertPath(endpoint, scope, alertName)}${versionQuery(endpoint)}`;
    const body = isActive ? activeBody : inactiveBody;
    const { interpretation } = await this.#request({ operation: 'patch', target, body, options });
    return interpretation === 'succeeded' ? 'sent' : 'unproven';
  }

  reserve(requests: number, options: WaitOptions): Promise<Reservation> {
    return this.#options.rateLimiter.reserve(requests, options);
  }

  acquirePermit(signal: AbortSignal): Promise<Permit> {
    return this.#permits.acquire(signal);
  }

  async stop(): Promise<void> {
    const { way } = this.#options;
    if (way.status === 'fulfilled') await way.value.stop();
  }

  get #way(): ServiceWay {
    return valueOf(this.#options.way);
  }

  /** The successful response to the request, or to its repetition with another token or other sockets. Throws any other. */
  async #request(call: AlertRequest): Promise<Answered> {
    for (let isRepeated = false; ; isRepeated = true) {
      const { used, result } = await this.#send(call);
      if (!(result instanceof AlertsError)) return result;
      const mayRetry = await this.#way.mayRetry(used, result, call.options.signal);
      if (isRepeated || !mayRetry) throw result;
      const fields = { operation: call.operation, code: result.code };
      this.#options.log.debug(fields, 'repeating the request with a new token or CA bundle');
    }
  }

  /**
   * The rate limiter comes first: the wait may be long, and must not hold a permit. The token comes last: the credential may end during
   * either wait. A permit that waits for the token keeps it from no request that has one.
   */
  async #send(call: AlertRequest): Promise<Sent> {
    const { rateLimiter } = this.#options;
    const { signal, prepaid, permit: held } = call.options;
    if (!prepaid) await rateLimiter.acquire(1, call.options);
    else if (!prepaid.use()) throw new StoppedError();
    const permit = held ?? (await this.#permits.acquire(signal));
    try {
      return await this.#way.use(signal, async (used) => ({ used, result: await this.#call(call, used) }));
    } finally {
      if (permit !== held) permit.release();
    }
  }

  async #call(call: AlertRequest, { transport, token }: UsedWay): Promise<Answered | AlertsError> {
    const { clock, random, rateLimiter } = this.#options;
    rateLimiter.throwIfThrottled();
    const startMs = clock.monotonic();
    try {
      const response = await transport.send(this.#requestFor(call, token));
      const interpretation = interpretResponse(call.operation, response, { secret: token, nowMs: clock.now(), random });
      if (isAlertsError(interpretation, 'service-busy')) rateLimiter.throttleFor(interpretation.retryAfterMs ?? 0);
      this.#observe(call, startMs, interpretation, response.status);
      return interpretation instanceof AlertsError ? interpretation : { response, interpretation };
    } catch (error) {
      this.#observe(call, startMs, error);
      if (error instanceof AlertsError) return error;
      throw error;
    }
  }

  #requestFor({ operation, target, body, options }: AlertRequest, token: SecretText): HttpRequest {
    const { limits, userAgent, rateLimiter } = this.#options;
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
      origin: this.#way.endpoint.origin,
      target,
      method: operation === 'list' ? 'GET' : 'PATCH',
      headers,
      bodyLimitBytes: limits.maxPageBytes,
      signal: options.signal,
      ...(body !== undefined && { body }),
      ...(operation === 'patch' && { timeoutMs: longestPatchMs }),
      beforeSend() {
        // While this request was connecting, the response of another one may have started throttling.
        rateLimiter.throwIfThrottled();
        options.beforeSend?.();
      },
    };
  }

  #observe({ operation }: AlertRequest, startMs: number, result: unknown, status?: number): void {
    const { observe, clock } = this.#options;
    if (!observe) return;
    const outcome = typeof result === 'string' ? 'ok' : isCoded(result) ? result.code : 'stopped';
    const durationMs = clock.monotonic() - startMs;
    observe({ operation, outcome, durationMs, ...(status !== undefined && { status }) });
  }
}
