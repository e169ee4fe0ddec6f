// An undici Dispatcher without sockets that answers every request from a function, in a later turn of the event loop.
import { Buffer } from 'node:buffer';

import { Dispatcher } from 'undici';

import { isString } from '../../../src/lib/json-shape.ts';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ScriptedAnswer {
  readonly status: number;
  /** Sent as JSON. */
  readonly body?: object;
}

/** What it throws is what the socket fails with. */
export type AnswerRequest = (request: SeenRequest) => ScriptedAnswer | Promise<ScriptedAnswer>;

export class AnsweringDispatcher extends Dispatcher {
  readonly #answer: AnswerRequest;
  isDestroyed = false;

  constructor(answer: AnswerRequest) {
    super();
    this.#answer = answer;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    void this.#exchange(options, handler);
    return true;
  }

  override destroy(): Promise<void>;
  override destroy(error: Error | null): Promise<void>;
  override destroy(callback: () => void): void;
  override destroy(error: Error | null, callback: () => void): void;
  override destroy(): Promise<void> {
    this.isDestroyed = true;
    return Promise.resolve();
  }

  async #exchange(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): Promise<void> {
    await Promise.resolve();
    const controller = controllerOf();
    handler.onRequestStart?.(controller, {});
    if (controller.aborted) return;
    try {
      const { status, body } = await this.#answer(seenOf(options));
      if (this.isDestroyed) throw new Error('destroyed');
      handler.onResponseStart?.(controller, status, { 'content-type': 'application/json' }, '');
      if (body) handler.onResponseData?.(controller, Buffer.from(JSON.stringify(body)));
      handler.onResponseEnd?.(controller, {});
    } catch (error) {
      handler.onResponseError?.(controller, error as Error);
    }
  }
}

function controllerOf(): Dispatcher.DispatchController {
  let isAborted = false;
  return {
    get aborted() {
      return isAborted;
    },
    paused: false,
    reason: null,
    abort: () => void (isAborted = true),
    pause: () => undefined,
    resume: () => undefined,
  };
}

function seenOf({ method, path, headers, body }: Dispatcher.DispatchOptions): SeenRequest {
  return { method, path, headers: byName(headers), body: isString(body) ? body : '' };
}

/** Headers are given by name, or as alternating names and values. */
function byName(headers: Dispatcher.DispatchOptions['headers']): Record<string, string> {
  const flat = Array.isArray(headers) ? (headers as readonly string[]) : Object.entries(headers ?? {}).flat();
  const pairs = flat.flatMap((name, index) => (index % 2 === 0 ? [[name.toLowerCase(), flat[index + 1] ?? '']] : []));
  return Object.fromEntries(pairs) as Record<string, string>;
}
