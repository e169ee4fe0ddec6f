// One HTTP call over a dispatcher of undici: the only place that gives `dispatch` a handler. It keeps the deadline and the abort
// signal, without a stream object in between, and reports each end once: to a receiver, or as a whole response in memory, up to a limit of
// bytes. The caller decides what a status means.
import { Buffer } from 'node:buffer';

import type { Dispatcher } from 'undici';

import type { Clock, Timer } from './clock.ts';

/** Sends and returns at once; the receiver learns everything else. */
export function startCall(
  dispatcher: Dispatcher,
  request: CallRequest,
  receiver: CallReceiver,
  limits: CallLimits,
  errors: CallErrors,
): Call {
  const call = new UndiciCall(receiver, limits, errors);
  dispatcher.dispatch({ ...request, body: request.body ?? null }, call);
  if (limits.signal?.aborted) call.fail(errors.aborted());
  return call;
}

class UndiciCall implements Call, Dispatcher.DispatchHandler {
  readonly #errors: CallErrors;
  readonly #deadline: Timer;
  readonly #signal: AbortSignal | undefined;
  readonly #abort = () => this.fail(this.#errors.aborted());
  /** Undefined after the end: another listener of the signal may still reference the removed one, so it must retain nothing large. */
  #receiver: CallReceiver | undefined;
  #controller: Dispatcher.DispatchController | undefined;

  constructor(receiver: CallReceiver, { clock, deadlineMs, signal }: CallLimits, errors: CallErrors) {
    this.#receiver = receiver;
    this.#errors = errors;
    this.#deadline = clock.setTimer(deadlineMs, () => this.fail(errors.deadline()));
    this.#signal = signal;
    signal?.addEventListener('abort', this.#abort);
  }

  fail(error: unknown): void {
    const receiver = this.#receiver;
    if (receiver === undefined) return;
    const controller = this.#end();
    receiver.onFailure(error);
    controller?.abort(this.#errors.aborted());
  }

  discard(): void {
    this.#end()?.abort(this.#errors.aborted());
  }

  cancelDeadline(): void {
    this.#deadline.cancel();
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  /** undici calls this immediately before it writes, without an await in between. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#receiver === undefined) {
      controller.abort(this.#errors.aborted());
      return;
    }
    this.#controller = controller;
    this.#report((receiver) => receiver.beforeSend?.());
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHead['headers']): void {
    if (status >= 200) this.#report((receiver) => receiver.onHead({ status, headers }, this));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#report((receiver) => receiver.onData(chunk, this));
  }

  onResponseEnd(): void {
    this.#report((receiver) => receiver.onEnd());
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#receiver !== undefined) this.fail(this.#errors.network(error));
  }

  #report(action: (receiver: CallReceiver) => void): void {
    if (this.#receiver === undefined) return;
    try {
      action(this.#receiver);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Returns the controller, which only the end of the call may still use. */
  #end(): Dispatcher.DispatchController | undefined {
    const controller = this.#controller;
    this.#receiver = undefined;
    this.#controller = undefined;
    this.#deadline.cancel();
    this.#signal?.removeEventListener('abort', this.#abort);
    return controller;
  }
}

export interface CallRequest {
  /** Only for a dispatcher that serves several origins. */
  readonly origin?: string;
  readonly method: Dispatcher.HttpMethod;
  /** With its query, already encoded. */
  readonly path: string;
  /** By name, or alternating names and values. */
  readonly headers: Readonly<Record<string, string>> | string[];
  readonly body?: string | undefined;
}

/** The head of a response; the names of headers are in lower case. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface CallLimits {
  readonly clock: Clock;
  /** For the whole call: waiting for a connection, sending, waiting, and reading. One timer, so that a slow response cannot extend it. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** The caller's errors for a call that ends without a whole response. */
export interface CallErrors {
  /** What undici reported as `error`. */
  network(error: Error): Error;
  deadline(): Error;
  aborted(): Error;
}

/** Receives what a call reports. What a method throws, except `onFailure`, is the failure of the call. */
export interface CallReceiver {
  /** Called in the tick in which the request is written to the socket. When it throws, nothing is sent. */
  beforeSend?(): void;
  onHead(head: ResponseHead, call: Call): void;
  onData(chunk: Buffer, call: Call): void;
  onEnd(): void;
  /** Called at most once, and never after `onEnd`. */
  onFailure(error: unknown): void;
}

/** A call under way. After its end, every method does nothing. */
export interface Call {
  /** Ends the call with `error`, and drops its connection. A request that was not written yet never will be. */
  fail(error: unknown): void;
  /** Ends the call without a report, and drops its connection. */
  discard(): void;
  /** From now on only the signal ends the call. */
  cancelDeadline(): void;
  pause(): void;
  resume(): void;
}

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
