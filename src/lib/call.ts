// The types of one HTTP call: the request, its limits, what its receiver learns, and the errors with which it may end.
import type { Buffer } from 'node:buffer';

import type { Dispatcher } from 'undici';

import type { Clock } from './clock.ts';

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
