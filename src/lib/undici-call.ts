// One HTTP call over a dispatcher of undici: the only place that gives `dispatch` a handler. It keeps the deadline and the abort
// signal, without a stream object in between, and reports each end once. The caller decides what a status means.
import type { Buffer } from 'node:buffer';

import type { Dispatcher } from 'undici';

import type { CallRequest, ResponseHead, CallLimits, CallErrors, CallReceiver, Call } from './call.ts';
import type { Timer } from './clock.ts';

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
