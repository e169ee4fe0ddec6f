// One request and its response, whole in memory: the handler that undici calls while it sends and receives. It counts
// bytes, and closes the socket as soon as the rest of the response is irrelevant.
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
  /** Alternating names and values. */
  readonly headers: readonly string[];
  readonly body?: string;
  /** For a 200. The body of any other response is read up to 64 KiB. */
  readonly bodyLimitBytes: number;
  readonly signal: AbortSignal;
  /** A deadline shorter than the transport's own. */
  readonly timeoutMs?: number;
  /** Called in the same tick as the write to the socket. When it throws, nothing is sent and the call fails with that error. */
  readonly beforeSend?: () => void;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Undefined when it exceeds its limit, or has a content encoding. */
  readonly body: Buffer | undefined;
  /** Why `body` is undefined. */
  readonly unread?: 'TooLarge' | 'Encoded';
}

/** Enough for an error body. */
const otherBodyLimitBytes = 65_536;

/** Settles once, with a response or a `CodedError`, and ignores everything after that. */
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

  /** Ends the call from outside. A request that has not been written yet is never sent. */
  fail(error: unknown): void {
    if (this.#isSettled) return;
    this.#settle();
    this.#reject(error);
    this.#controller?.abort(cancelled());
  }

  /** undici calls this immediately before it writes, without an await in between. */
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

  /** Resolves with the status alone. The rest of the response stays unread, so the socket cannot be reused. */
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
  return new CodedError('service-unreachable', 'The service did not respond before the deadline.');
}

function isEncoded(headers: HttpResponse['headers']): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && String(encoding).trim().toLowerCase() !== 'identity';
}
