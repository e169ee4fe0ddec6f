// One request and its answer, whole in memory: the handler that undici calls while it sends and receives. It counts
// bytes, keeps the deadline, and lets go of the socket as soon as the answer is not worth reading on.
import { Buffer } from 'node:buffer';

import type { Dispatcher } from 'undici';

import { CodedError } from '../lib/errors.ts';
import { cancelled } from './cancelled.ts';
import { networkFailure } from './network-failure.ts';

export interface HttpRequest {
  readonly origin: string;
  /** Path and query, already encoded. */
  readonly target: string;
  readonly method: 'GET' | 'PATCH' | 'POST';
  /** Names and values by turns. */
  readonly headers: readonly string[];
  readonly body?: string;
  /** For a 200. The body of any other answer is read up to 64 KiB. */
  readonly bodyLimitBytes: number;
  readonly signal: AbortSignal;
  /** Where it has to end sooner than the transport's own deadline. */
  readonly timeoutMs?: number;
  /** Called in the same tick in which the request is written to the socket. What it throws is thrown, nothing is sent. */
  readonly beforeSend?: () => void;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Undefined when it was longer than its limit, or came in an encoding that nobody asked for. */
  readonly body: Buffer | undefined;
  /** Why `body` is undefined. */
  readonly unread?: 'TooLarge' | 'Encoded';
}

/** Enough for an error body; nobody needs a page of HTML. */
const otherBodyLimitBytes = 65_536;

/** Settles once, with an answer or a `CodedError`; whatever comes later is ignored. */
export class HttpCall implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #isSettled = false;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #limitBytes = 0;
  #status = 0;
  #headers: HttpResponse['headers'] = {};

  constructor(request: HttpRequest, resolve: (response: HttpResponse) => void, reject: (error: unknown) => void) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Ends the exchange from outside. A request that was not written yet never will be. */
  fail(error: unknown): void {
    if (this.#isSettled) return;
    this.#settle();
    this.#reject(error);
    this.#controller?.abort(cancelled());
  }

  /** undici calls this immediately before it writes; there is no await in between. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isSettled) {
      controller.abort(cancelled());
      return;
    }
    try {
      this.#request.beforeSend?.();
    } catch (error) {
      this.fail(error);
    }
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: HttpResponse['headers']): void {
    if (status < 200 || this.#isSettled) return;
    this.#status = status;
    this.#headers = headers;
    this.#limitBytes = status === 200 ? this.#request.bodyLimitBytes : otherBodyLimitBytes;
    if (isEncoded(headers)) this.#finishUnread('Encoded');
    else if (Number(headers['content-length'] ?? 0) > this.#limitBytes) this.#finishUnread('TooLarge');
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limitBytes) this.#finishUnread('TooLarge');
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#isSettled) return;
    const [only] = this.#chunks;
    const body = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks, this.#bytes);
    this.#settle();
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(networkFailure(error));
  }

  /** The status is known and counts; the rest of the answer is not read, so the socket cannot be used again. */
  #finishUnread(unread: 'TooLarge' | 'Encoded'): void {
    this.#settle();
    this.#resolve({ status: this.#status, headers: this.#headers, body: undefined, unread });
    this.#controller?.abort(cancelled());
  }

  #settle(): void {
    this.#isSettled = true;
    this.#chunks = [];
  }
}

export function deadlinePassed(): CodedError {
  return new CodedError('service-unreachable', 'The service did not answer before the deadline.');
}

function isEncoded(headers: HttpResponse['headers']): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && String(encoding).trim().toLowerCase() !== 'identity';
}
