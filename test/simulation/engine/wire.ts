// One request on its way through the simulated network, from the tick in which the process sends it to its end.
// undici's order of calls is kept: `onRequestStart` in the tick of the send, then the bytes are on their way and cannot be
// recalled; an abort closes the socket, and the other side notices later.
import type { Dispatcher } from 'undici';

import { Breaker } from './backpressure-gate.ts';
import type { SimProcess } from './sim-process.ts';
import type { Fate, SimAnswer, SimExchange, SimHost, SimRequest, SimStream } from './types.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface WireOptions {
  readonly time: VirtualTime;
  readonly process: SimProcess;
  readonly handler: Dispatcher.DispatchHandler;
  /** Undefined when no such host exists. */
  readonly host: SimHost | undefined;
  readonly origin: string;
  readonly trust?: string | undefined;
  readonly request: Dispatcher.DispatchOptions;
  readonly fateOf: (request: Omit<SimRequest, 'atMs'>) => Fate;
  /** One way, drawn anew for each delivery. */
  readonly latency: () => number;
  /** Called before the handler learns of the end, or when there is no handler left. */
  readonly onEnd: (exchange: SimExchange) => void;
  /** Called after the handler has learned of the end. */
  readonly onOver: () => void;
}

export class Wire {
  readonly process: SimProcess;
  readonly origin: string;
  readonly #options: WireOptions;
  readonly #request: Omit<SimRequest, 'atMs' | 'sentAtMs'>;
  readonly #controller: Dispatcher.DispatchController;
  readonly #closedListeners: (() => void)[] = [];
  readonly #forgetKill: () => void;
  #sentAtMs = 0;
  #fate: Fate = { kind: 'deliver' };
  #isOver = false;
  #isSilent = false;
  #isStarting = false;
  #isStarted = false;
  #isAborted = false;
  readonly #body = new Breaker();
  #status: number | undefined;
  #headers: Readonly<Record<string, string>> | undefined;
  #answerBody: string | Buffer | undefined;
  /** Deliveries on one connection never overtake one another. */
  #lastArrivalMs = 0;

  constructor(options: WireOptions) {
    this.#options = options;
    this.process = options.process;
    this.origin = options.origin;
    const { method, path, headers, body } = options.request;
    this.#request = {
      process: options.process.name,
      method,
      origin: options.origin,
      path,
      headers: headersOf(headers),
      body: typeof body === 'string' ? body : '',
      trust: options.trust,
    };
    this.#controller = this.#createController();
    this.#forgetKill = options.process.onKill(() => this.#gone('killed'));
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** Connecting takes a moment; then the request is written, or it fails. */
  start(): void {
    this.#later(this.#options.latency(), () => this.#write());
  }

  abort(error: Error): void {
    if (this.#isOver || this.#isAborted) return;
    this.#isAborted = true;
    this.#finish(this.#isStarting ? 'not sent' : 'aborted');
    this.#options.handler.onResponseError?.(this.#controller, error);
    this.#options.onOver();
  }

  reset(): void {
    this.#fail('reset', socketError('ECONNRESET', 'read ECONNRESET'));
  }

  silence(): void {
    this.#isSilent = true;
  }

  #write(): void {
    if (this.#isOver) return;
    this.#sentAtMs = this.#options.time.nowMs;
    const request = { ...this.#request, sentAtMs: this.#sentAtMs };
    this.#fate = this.#options.fateOf(request);
    const { kind } = this.#fate;
    if (kind === 'refuse' || this.#options.host === undefined) {
      this.#fail('refused', socketError('ECONNREFUSED', 'connect ECONNREFUSED'));
      return;
    }
    if (kind === 'name-not-found') {
      this.#fail('name-not-found', socketError('ENOTFOUND', 'getaddrinfo ENOTFOUND'));
      return;
    }
    if (kind === 'tls-failed') {
      this.#fail(
        'tls-failed',
        socketError('SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain'),
      );
      return;
    }
    this.#isStarting = true;
    this.#isStarted = true;
    this.#options.handler.onRequestStart?.(this.#controller, {});
    this.#isStarting = false;
    if (this.#isOver) return;
    this.#carry(request);
  }

  /** From here on the bytes are on their way, whatever becomes of the process. */
  #carry(request: Omit<SimRequest, 'atMs'>): void {
    const fate = this.#fate;
    const delayMs = this.#options.latency() + (fate.delayMs ?? 0);
    if (fate.kind === 'black-hole') return;
    if (fate.kind === 'reset') {
      this.#back(delayMs, () => this.reset());
      return;
    }
    if (fate.kind === 'replace') {
      this.#reply(fate.answer, delayMs);
      return;
    }
    this.#options.time.schedule(delayMs, () => this.#arrive(request));
  }

  #arrive(request: Omit<SimRequest, 'atMs'>): void {
    const { host, time } = this.#options;
    const answer = host?.handle({ ...request, atMs: time.nowMs }, (status, headers) => this.#open(status, headers));
    if (this.#isOver) return;
    const fate = this.#fate;
    if (fate.kind === 'half-open') return;
    if (fate.kind === 'lose-answer') this.#back(this.#options.latency(), () => this.reset());
    else if (fate.kind === 'instead') this.#reply(fate.answer);
    else if (answer) this.#reply(answer);
  }

  #open(status: number, headers: Readonly<Record<string, string>> = {}): SimStream {
    const isMute = this.#fate.kind !== 'deliver';
    if (!isMute) this.#back(this.#options.latency(), () => this.#head(status, headers));
    return {
      write: (chunk, onArrived) => {
        if (!isMute) this.#back(this.#options.latency(), () => this.#data(chunk, onArrived));
      },
      end: () => {
        if (!isMute) this.#back(this.#options.latency(), () => this.#end());
      },
      onClosed: (listener) => {
        if (this.#isOver) listener();
        else this.#closedListeners.push(listener);
      },
    };
  }

  #reply(answer: SimAnswer, delayMs = 0): void {
    const fate = this.#fate;
    const body = Buffer.from(answer.body);
    const waitMs = delayMs + this.#options.latency() + (fate.answerDelayMs ?? 0);
    this.#answerBody = answer.body;
    this.#back(waitMs, () => this.#head(answer.status, { 'content-type': 'application/json', ...answer.headers }));
    if (fate.kind === 'cut-body') {
      this.#back(waitMs, () => this.#data(body.subarray(0, fate.afterBytes)));
      this.#back(waitMs, () => this.#fail('cut', socketError('UND_ERR_SOCKET', 'other side closed')));
      return;
    }
    if (fate.kind === 'slow-body') this.#drip(body, waitMs, fate.chunkBytes, fate.everyMs);
    else if (body.length > 0) this.#back(waitMs, () => this.#data(body));
    if (fate.kind !== 'slow-body') this.#back(waitMs, () => this.#end());
  }

  #drip(body: Buffer, afterMs: number, chunkBytes: number, everyMs: number): void {
    if (body.length === 0) {
      this.#back(afterMs, () => this.#end());
      return;
    }
    this.#back(afterMs + everyMs, () => {
      this.#data(body.subarray(0, chunkBytes));
      if (!this.#isOver) this.#drip(body.subarray(chunkBytes), 0, chunkBytes, everyMs);
    });
  }

  #head(status: number, headers: Readonly<Record<string, string>>): void {
    this.#status = status;
    this.#headers = headers;
    this.#options.handler.onResponseStart?.(this.#controller, status, { ...headers }, '');
  }

  #data(chunk: string | Buffer, onArrived?: () => void): void {
    this.#body.pass(() => {
      if (this.#isOver) return;
      this.#options.handler.onResponseData?.(this.#controller, Buffer.from(chunk));
      onArrived?.();
    });
  }

  #end(): void {
    this.#body.pass(() => {
      if (this.#isOver) return;
      this.#finish(this.#status ?? 0);
      this.#options.handler.onResponseEnd?.(this.#controller, {});
      this.#options.onOver();
    });
  }

  #fail(outcome: string, error: Error): void {
    if (this.#isOver) return;
    this.#options.process.deliver(() => {
      if (this.#isOver) return;
      this.#finish(outcome);
      this.#options.handler.onResponseError?.(this.#controller, error);
      this.#options.onOver();
    });
  }

  /** On the way to the process, in order. */
  #back(delayMs: number, run: () => void): void {
    const { time, process } = this.#options;
    this.#lastArrivalMs = Math.max(this.#lastArrivalMs, time.nowMs + delayMs);
    time.schedule(this.#lastArrivalMs - time.nowMs, () => {
      if (this.#isSilent) return;
      process.deliver(() => {
        if (!this.#isOver) run();
      });
    });
  }

  /** At the process itself. */
  #later(delayMs: number, run: () => void): void {
    this.#options.time.schedule(delayMs, () => this.#options.process.deliver(run));
  }

  #gone(outcome: string): void {
    if (!this.#isOver) this.#finish(outcome);
  }

  #finish(outcome: number | string): void {
    this.#isOver = true;
    this.#forgetKill();
    const { time, latency, onEnd } = this.#options;
    onEnd({
      request: { ...this.#request, sentAtMs: this.#sentAtMs },
      fate: this.#fate.kind,
      outcome,
      answerHeaders: this.#headers,
      answerBody: this.#answerBody,
      endedAtMs: time.nowMs,
    });
    const listeners = this.#closedListeners.splice(0);
    if (listeners.length > 0) time.schedule(latency(), () => listeners.forEach((notify) => notify()));
  }

  #createController(): Dispatcher.DispatchController {
    const abort = (reason: Error) => this.abort(reason);
    const isAborted = () => this.#isAborted;
    const body = this.#body;
    return {
      get aborted() {
        return isAborted();
      },
      get paused() {
        return body.isPaused;
      },
      reason: null,
      abort,
      pause: () => body.pause(),
      resume: () => body.resume((run) => this.#later(0, run)),
    };
  }
}

function socketError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function headersOf(headers: Dispatcher.DispatchOptions['headers']): Record<string, string> {
  const result: Record<string, string> = {};
  if (Array.isArray(headers)) {
    for (let index = 0; index + 1 < headers.length; index += 2) {
      result[String(headers[index]).toLowerCase()] = String(headers[index + 1]);
    }
  } else if (headers) {
    for (const [name, value] of Object.entries(headers)) result[name.toLowerCase()] = String(value);
  }
  return result;
}
