// An undici Dispatcher without sockets: it hands every request to the simulated network, so many at a time to one host as it may have
// connections, and lets the others wait. What it reports to a handler, and when, is what undici reports
// (test/contract/simulated-sockets.test.ts).
import { Dispatcher } from 'undici';

/** One request in progress. */
export interface Underway {
  /** Whether the handler knows of it, and can abort it. */
  readonly isStarted: boolean;
  abort(error: Error): void;
}

interface Waiting {
  readonly options: Dispatcher.DispatchOptions;
  readonly handler: Dispatcher.DispatchHandler;
}

/** Starts a request. `onOver` is called once, after the handler has learned of the end. */
export type Send = (waiting: Waiting, onOver: () => void) => Underway;

export class SimDispatcher extends Dispatcher {
  readonly #send: Send;
  readonly #connections: number;
  readonly #waiting: Waiting[] = [];
  /** With the host each of them is to. */
  readonly #underway = new Map<Underway, string>();
  #isClosed = false;

  constructor(send: Send, connections: number) {
    super();
    this.#send = send;
    this.#connections = connections;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (this.#isClosed) {
      handler.onResponseError?.(closedController(), destroyedError());
      return false;
    }
    this.#waiting.push({ options, handler });
    this.#sendWaiting();
    return true;
  }

  override close(): Promise<void>;
  override close(callback: () => void): void;
  override close(callback?: () => void): Promise<void> | void {
    this.#isClosed = true;
    return settled(callback);
  }

  override destroy(): Promise<void>;
  override destroy(error: Error | null): Promise<void>;
  override destroy(callback: () => void): void;
  override destroy(error: Error | null, callback: () => void): void;
  override destroy(first?: Error | null | (() => void), second?: () => void): Promise<void> | void {
    this.#isClosed = true;
    const error = first instanceof Error ? first : destroyedError();
    for (const { handler } of this.#waiting.splice(0)) handler.onResponseError?.(closedController(), error);
    for (const underway of this.#underway.keys()) {
      if (underway.isStarted) queueMicrotask(() => underway.abort(error));
      else underway.abort(error);
    }
    return settled(typeof first === 'function' ? first : second);
  }

  #sendWaiting(): void {
    const next = this.#waiting.findIndex(({ options }) => this.#countTo(hostOf(options)) < this.#connections);
    const [waiting] = next < 0 ? [] : this.#waiting.splice(next, 1);
    if (!waiting) return;
    const underway = this.#send(waiting, () => {
      this.#underway.delete(underway);
      this.#sendWaiting();
    });
    this.#underway.set(underway, hostOf(waiting.options));
  }

  #countTo(host: string): number {
    let count = 0;
    for (const other of this.#underway.values()) if (other === host) count++;
    return count;
  }
}

function hostOf({ origin }: Dispatcher.DispatchOptions): string {
  return String(origin ?? '');
}

function destroyedError(): Error {
  return Object.assign(new Error('The client is destroyed'), { code: 'UND_ERR_DESTROYED' });
}

function settled(callback: (() => void) | undefined): Promise<void> | void {
  if (!callback) return Promise.resolve();
  queueMicrotask(callback);
}

function closedController(): Dispatcher.DispatchController {
  return {
    aborted: true,
    paused: false,
    reason: null,
    abort: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
  };
}
