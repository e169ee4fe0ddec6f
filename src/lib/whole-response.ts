// Calls whose whole response is kept in memory, up to a limit of bytes.
import { Buffer } from 'node:buffer';

import type { Dispatcher } from 'undici';

import type { CallRequest, ResponseHead, CallLimits, CallErrors, CallReceiver, Call } from './call.ts';
import { startCall } from './undici-call.ts';

export interface WholeResponse extends ResponseHead {
  /** Undefined when it was not to be read, or exceeds its limit. */
  readonly body: Buffer | undefined;
}

interface WholeCallOptions<Response> {
  readonly limits: CallLimits;
  readonly errors: CallErrors;
  readonly beforeSend?: () => void;
  /** The longest body that is read, in bytes; undefined: none is. */
  bodyLimitOf(head: ResponseHead): number | undefined;
  /** The result of the call. What it throws is the failure of the call. */
  responseOf(whole: WholeResponse): Response;
}

/**
 * Sends and resolves with the whole response in memory, whatever its status. Rejects with one of `errors`, or with what a function
 * of the options threw.
 */
export function sendWhole<Response>(
  dispatcher: Dispatcher,
  request: CallRequest,
  options: WholeCallOptions<Response>,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const receiver = new WholeReceiver(options, resolve, reject);
    startCall(dispatcher, request, receiver, options.limits, options.errors);
  });
}

class WholeReceiver<Response> implements CallReceiver {
  readonly #options: WholeCallOptions<Response>;
  readonly #resolve: (response: Response) => void;
  readonly onFailure: (error: unknown) => void;
  readonly #chunks: Buffer[] = [];
  #head: ResponseHead = { status: 0, headers: {} };
  #receivedBytes = 0;
  #limitBytes = 0;

  constructor(
    options: WholeCallOptions<Response>,
    resolve: (response: Response) => void,
    reject: (error: unknown) => void,
  ) {
    this.#options = options;
    this.#resolve = resolve;
    this.onFailure = reject;
  }

  beforeSend(): void {
    this.#options.beforeSend?.();
  }

  onHead(head: ResponseHead, call: Call): void {
    this.#head = head;
    const limitBytes = this.#options.bodyLimitOf(head);
    if (limitBytes === undefined || Number(head.headers['content-length'] ?? 0) > limitBytes) this.#finishUnread(call);
    else this.#limitBytes = limitBytes;
  }

  onData(chunk: Buffer, call: Call): void {
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes > this.#limitBytes) this.#finishUnread(call);
    else this.#chunks.push(chunk);
  }

  onEnd(): void {
    const [only] = this.#chunks;
    const body = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks, this.#receivedBytes);
    this.#finish(body);
  }

  /** Resolves without a body. The rest of the response stays unread, so the socket cannot be reused. */
  #finishUnread(call: Call): void {
    this.#finish(undefined);
    call.discard();
  }

  #finish(body: Buffer | undefined): void {
    const { status, headers } = this.#head;
    this.#resolve(this.#options.responseOf({ status, headers, body }));
  }
}
