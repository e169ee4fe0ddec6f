// One request and its answer over undici's dispatcher, gathered without a stream object in between: this is the hot path.
// No meaning is given to a status here; deadlines and abort are.
import type { Dispatcher } from 'undici';

import type { Clock } from '../lib/clock.ts';
import { CodedError, messageOf } from '../lib/errors.ts';
import { unreachable, type ResponseHead } from './status-error.ts';

export interface RequestHead {
  readonly method: Dispatcher.HttpMethod;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface ApiServerResponse extends ResponseHead {
  readonly body: string;
}

/** The limits of a call. The deadline covers all of it: waiting for a connection, sending, waiting, and reading. */
export interface Limits {
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** More than this is not an answer of an API server: lists are paged, objects are at most 3 MB. */
const bodyLimitBytes = 256 * 1024 * 1024;

/** What a call does with what arrives. Throwing from `onData` ends the call with that error. */
export interface ResponseReceiver {
  onHead(head: ResponseHead): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  /** Called at most once, and never after `onEnd`. */
  onFailure(error: CodedError): void;
}

/** A call under way. `fail` ends it with an error of the caller's, and drops its connection; after the end it does nothing. */
export interface Call {
  fail(error: CodedError): void;
  pause(): void;
  resume(): void;
}

/** Sends and returns at once; everything else is told to the receiver. */
export function dispatchCall(dispatcher: Dispatcher, request: RequestHead, receiver: ResponseReceiver): Call {
  let controller: Dispatcher.DispatchController | undefined;
  let isOver = false;
  const fail = (error: CodedError) => {
    if (isOver) return;
    isOver = true;
    receiver.onFailure(error);
    controller?.abort(error);
  };
  const attempt = (action: () => void) => {
    if (isOver) return;
    try {
      action();
    } catch (error) {
      fail(error instanceof CodedError ? error : unreachable(messageOf(error), { cause: error }));
    }
  };
  dispatcher.dispatch(
    { ...request, body: request.body ?? null },
    {
      onRequestStart(started) {
        controller = started;
        if (isOver) started.abort(new Error('the call was given up'));
      },
      onResponseStart(_controller, status, headers) {
        if (status >= 200) attempt(() => receiver.onHead({ status, headers }));
      },
      onResponseData: (_controller, chunk) => attempt(() => receiver.onData(chunk)),
      onResponseEnd() {
        attempt(() => receiver.onEnd());
        isOver = true;
      },
      onResponseError: (_controller, error) => fail(unreachable(messageOf(error), { cause: error })),
    },
  );
  return { fail, pause: () => controller?.pause(), resume: () => controller?.resume() };
}

/** Sends and resolves with the whole answer, whatever its status. Rejects with `kube-unreachable` or `stopped`. */
export function sendRequest(dispatcher: Dispatcher, request: RequestHead, limits: Limits): Promise<ApiServerResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let head: ResponseHead | undefined;
    let receivedBytes = 0;
    const guarded = guard(limits);
    guarded.start(
      dispatchCall(dispatcher, request, {
        onHead: (received) => {
          head = received;
        },
        onData: (chunk) => {
          receivedBytes += chunk.length;
          if (receivedBytes > bodyLimitBytes) throw unreachable('the answer is too large', { reason: 'BadAnswer' });
          chunks.push(chunk);
        },
        onEnd: () => {
          guarded.end();
          resolve({ status: head?.status ?? 0, headers: head?.headers ?? {}, body: textOf(chunks) });
        },
        onFailure: (error) => {
          guarded.end();
          reject(error);
        },
      }),
    );
  });
}

/** Watches over one call: it fails at its deadline or when the signal aborts, until `end`. Repetition of `end` is harmless. */
export function guard({ clock, deadlineMs, signal }: Limits): { start(call: Call): void; end(): void } {
  let call: Call | undefined;
  const tooLate = () => call?.fail(unreachable('no whole answer in time', { reason: 'Deadline' }));
  const stop = () => call?.fail(stopped());
  const timer = clock.setTimer(deadlineMs, tooLate);
  signal?.addEventListener('abort', stop);
  return {
    start(started) {
      call = started;
      if (signal?.aborted) stop();
    },
    end() {
      // The listener that goes may still be referred to by one that went before it, so it must hold on to nothing.
      call = undefined;
      timer.cancel();
      signal?.removeEventListener('abort', stop);
    },
  };
}

export function stopped(): CodedError {
  return new CodedError('stopped', 'The request was given up because the operator is stopping.');
}

function textOf(chunks: readonly Buffer[]): string {
  const [only] = chunks;
  if (only === undefined) return '';
  return (chunks.length === 1 ? only : Buffer.concat(chunks)).toString('utf8');
}
