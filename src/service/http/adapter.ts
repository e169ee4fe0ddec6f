// Connects the routes to node:http: reads a bounded body, calls the routes, writes the response, logs it.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { Clock } from '../../lib/clock.ts';
import { errorFields } from '../../lib/errors.ts';
import type { FlatLogger } from '../../lib/flat-log.ts';
import type { Logger } from '../../lib/log.ts';
import { thenOrNow } from '../../lib/maybe-promise.ts';
import { readBody } from '../../lib/read-bytes.ts';
import { httpDate } from '../../lib/timestamp.ts';
import { silentObserver, type ServiceObserver } from '../observer.ts';
import { logAndCount, type LineMemory } from './access-log.ts';
import { createSourceOf, type SourceOf, type SourceOptions } from './client-address.ts';
import type { CrossOrigin } from './cors.ts';
import { deliver } from './delivery.ts';
import { awaitsContinue, refuseHead } from './head-check.ts';
import { requestBodyLimitBytes, type HandledRequest, type ServiceRequest } from './message.ts';
import { headOnConnection, targetOnConnection, type RequestHead, type RequestMemory } from './request-head.ts';
import { createRequestIDs, requestIDHeader } from './request-id.ts';
import type { HeadCheck, RequestHandler } from './routes.ts';

export interface HttpAdapterDeps extends SourceOptions {
  readonly answer: RequestHandler;
  /** For the responses that do not come from `answer`. Absent: pages of other origins cannot read them. */
  readonly crossOrigin?: CrossOrigin;
  /** Absent: the client of every request may send its body. */
  readonly checkHead?: HeadCheck;
  readonly clock: Clock;
  /** The time of the Date header. Absent: Node writes the one of the system. */
  readonly emulatorClock?: Clock | undefined;
  readonly log: Logger;
  /** Receives one line for each request; undefined for none. */
  readonly accessLog: FlatLogger | undefined;
  /** Maximum size of the body of a request; a longer one is not read to its end. Default: `requestBodyLimitBytes`. */
  readonly bodyLimitBytes?: (request: ServiceRequest) => number;
  readonly observer?: ServiceObserver;
}

export function createHttpAdapter(deps: HttpAdapterDeps): RequestListener {
  const { observer = silentObserver } = deps;
  const memories = new WeakMap<Socket, ConnectionMemory>();
  const memoryOf = (socket: Socket) => {
    const known = memories.get(socket);
    if (known) return known;
    const memory: ConnectionMemory = { head: undefined, target: '', line: undefined };
    memories.set(socket, memory);
    return memory;
  };
  const own = { sourceOf: createSourceOf(deps), newRequestID: createRequestIDs() };
  const traffic = { ...deps, observer, ...own };
  return (incoming, outgoing) => new Exchange(traffic, incoming, outgoing, memoryOf(incoming.socket)).begin();
}

/** What a connection remembers of its last request. */
type ConnectionMemory = RequestMemory & LineMemory;

/** What the requests of one listener share. */
interface Traffic extends HttpAdapterDeps {
  readonly observer: ServiceObserver;
  readonly sourceOf: SourceOf;
  readonly newRequestID: () => string;
}

const emptyBody = new Uint8Array();

/** A request and its response: one object, because closures for each step would cost more than the steps. */
class Exchange {
  readonly #traffic: Traffic;
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  readonly #memory: ConnectionMemory;
  readonly #startedMs: number;
  readonly #head: RequestHead;
  readonly #requestID: string;

  constructor(traffic: Traffic, incoming: IncomingMessage, outgoing: ServerResponse, memory: ConnectionMemory) {
    this.#traffic = traffic;
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.#memory = memory;
    this.#startedMs = traffic.clock.monotonic();
    this.#head = headOnConnection(incoming, memory, traffic.sourceOf);
    this.#requestID = this.#head.requestID ?? traffic.newRequestID();
  }

  begin(): void {
    this.#traffic.observer.requestBegan();
    this.#outgoing.on('close', () => this.#traffic.observer.requestEnded());
    if (this.#head.isPlain && this.#incoming.url?.startsWith('/')) this.#answer(emptyBody);
    else this.#receive(refuseHead(this.#incoming, this.#head.source.scheme));
  }

  #receive(refusal: HandledRequest | undefined): void {
    if (refusal) this.#refuse(refusal);
    else if (awaitsContinue(this.#incoming)) this.#checkHead();
    else if (this.#head.hasBody) this.#readBody();
    else this.#answer(emptyBody);
  }

  /** Asks for the body only if the routes accept the headers. */
  #checkHead(): void {
    void thenOrNow(this.#traffic.checkHead?.(this.#request(emptyBody)), (refusal) => {
      // The client has left meanwhile.
      if (this.#incoming.socket.destroyed) return;
      if (refusal) {
        this.#refuse(refusal);
        return;
      }
      this.#outgoing.writeContinue();
      this.#readBody();
    });
  }

  #readBody(): void {
    const limitBytes = this.#traffic.bodyLimitBytes?.(this.#request(emptyBody)) ?? requestBodyLimitBytes;
    readBody(this.#incoming, limitBytes, (body) => this.#answer(body));
  }

  #answer(body: Uint8Array): void {
    const handled = this.#traffic.answer(this.#request(body));
    if (handled instanceof Promise) void handled.then((late) => this.#finish(late));
    else this.#finish(handled);
  }

  /** Sends a response that does not come from `answer`. */
  #refuse(refusal: HandledRequest): void {
    const { method = '' } = this.#incoming;
    this.#finish(this.#traffic.crossOrigin?.({ method, headers: this.#head.headers }, refusal) ?? refusal);
  }

  #request(body: Uint8Array): ServiceRequest {
    const { method = '', url = '' } = this.#incoming;
    const { headers, source } = this.#head;
    const target = targetOnConnection(url, this.#memory);
    const { clientAddress, scheme, forwardedHost } = source;
    return { method, target, headers, body, clientAddress, scheme, forwardedHost, requestID: this.#requestID };
  }

  #finish(handled: HandledRequest): void {
    try {
      this.#send(handled);
      this.#log(handled);
    } catch (error) {
      // A response that cannot be written must end only this connection.
      this.#traffic.log.error(
        { route: handled.route, requestID: this.#requestID, ...errorFields(error) },
        'response not written',
      );
      this.#incoming.socket.destroy();
    }
  }

  #log(handled: HandledRequest): void {
    const elapsedMs = this.#traffic.clock.monotonic() - this.#startedMs;
    const { clientAddress } = this.#head.source;
    const asked = { method: this.#incoming.method, clientAddress, requestID: this.#requestID, elapsedMs };
    logAndCount(this.#traffic, this.#memory, asked, handled);
  }

  #send({ delivery, response }: HandledRequest): void {
    // Node marks a request without a body as complete only after its listener has returned.
    const isWhole = this.#incoming.complete || !this.#head.hasBody;
    const { emulatorClock } = this.#traffic;
    if (emulatorClock) this.#outgoing.setHeader('date', httpDate(emulatorClock.now()));
    if (!delivery) {
      deliver(this.#outgoing, response, this.#requestID, isWhole);
      return;
    }
    const headers = { ...response.headers, [requestIDHeader]: this.#requestID };
    delivery.deliver(this.#outgoing, { ...response, headers }, isWhole);
  }
}
