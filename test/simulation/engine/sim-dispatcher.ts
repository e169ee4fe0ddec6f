// An undici Dispatcher without sockets: it hands every request to the simulated network.
import { Dispatcher } from 'undici';

/** One request under way. */
interface Underway {
  readonly isOver: boolean;
  abort(error: Error): void;
}

export type Send = (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => Underway;

export class SimDispatcher extends Dispatcher {
  readonly #send: Send;
  readonly #underway = new Set<Underway>();
  #isClosed = false;

  constructor(send: Send) {
    super();
    this.#send = send;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (this.#isClosed) {
      const controller = closedController();
      handler.onResponseError?.(
        controller,
        Object.assign(new Error('The client is destroyed'), { code: 'UND_ERR_DESTROYED' }),
      );
      return false;
    }
    for (const old of this.#underway) if (old.isOver) this.#underway.delete(old);
    this.#underway.add(this.#send(options, handler));
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
    const error = first instanceof Error ? first : new Error('The client is destroyed');
    for (const underway of this.#underway) underway.abort(error);
    this.#underway.clear();
    return settled(typeof first === 'function' ? first : second);
  }
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
