// Connects the routes to node:http: reads a bounded body, calls the routes, writes the response, logs it. It only enforces the
// limits that routes cannot: one Host header, requests in flight, pipelined requests and slow readers.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import type { Clock } from '../../lib/clock.ts';
import { errorFields } from '../../lib/errors.ts';
import type { FlatLogger } from '../../lib/flat-log.ts';
import { clientNetwork } from '../../lib/ip-address.ts';
import type { Logger } from '../../lib/log.ts';
import { thenOrNow } from '../../lib/maybe-promise.ts';
import { readBody } from '../../lib/read-body.ts';
import { queueKey, type ReadDelivered } from '../../lib/send-queues.ts';
import { silentObserver, type ServiceObserver } from '../observer.ts';
import { logAndCount } from './access-log.ts';
import { ArrivingBodies, type ArrivingBody } from './arriving-bodies.ts';
import { createSourceOf, type SourceOf, type SourceOptions } from './client-address.ts';
import { Connections, type Connection, type ConnectionTable } from './connections.ts';
import type { CrossOrigin } from './cors.ts';
import { releaseDelivered } from './delivered-responses.ts';
import { deliver } from './delivery.ts';
import { awaitsContinue, refuseHead } from './head-check.ts';
import { serviceLimits, type ServiceLimits } from './limits.ts';
import { requestBodyLimitBytes, type HandledRequest, type ServiceRequest } from './message.ts';
import { headOnConnection, targetOnConnection, type RequestHead } from './request-head.ts';
import { createRequestIDs, requestIDHeader } from './request-id.ts';
import { mustWait } from './request-order.ts';
import type { HeadCheck, RequestHandler } from './routes.ts';
import { unavailable } from './service-errors.ts';
import {
  bodyLengthOf,
  smallResponseBytes,
  tooManyUnread,
  UnreadBytes,
  type HeldResponse,
  type UnreadLimits,
} from './unread-bytes.ts';

type AdapterLimits = Pick<
  ServiceLimits,
  'arrivingBodies' | 'concurrentRequests' | 'answerTimeoutMs' | 'maxPipelinedRequests' | keyof UnreadLimits
>;

export interface HttpAdapterDeps extends SourceOptions {
  readonly answer: RequestHandler;
  /** For the responses that do not come from `answer`. Absent: pages of other origins cannot read them. */
  readonly crossOrigin?: CrossOrigin;
  /** Absent: the client of every request may send its body. */
  readonly checkHead?: HeadCheck;
  readonly clock: Clock;
  readonly log: Logger;
  /** Receives one line for each request; undefined for none. */
  readonly accessLog: FlatLogger | undefined;
  readonly limits?: AdapterLimits;
  /** Maximum size of the body of a request; a longer one is not read to its end. Default: `requestBodyLimitBytes`. */
  readonly bodyLimitBytes?: (request: ServiceRequest) => number;
  readonly observer?: ServiceObserver;
  /** Absent: any number of connections. */
  readonly connections?: ConnectionTable;
  /** Absent: a client counts as having read a response when it sends the next request. */
  readonly readDelivered?: ReadDelivered | undefined;
}

export function createHttpAdapter(deps: HttpAdapterDeps): RequestListener {
  const { limits = serviceLimits, observer = silentObserver } = deps;
  const { connections = new Connections({ ...deps, maxConnections: Infinity, observer }) } = deps;
  const unread = new UnreadBytes(limits, deps.clock, (bytes) => observer.unreadBytes(bytes));
  const bodies = new ArrivingBodies(limits.arrivingBodies);
  const onTaken = deps.readDelivered
    ? releaseDelivered({ ...deps, readDelivered: deps.readDelivered, unread })
    : ignore;
  const own = { bodies, onTaken, sourceOf: createSourceOf(deps), newRequestID: createRequestIDs(), inFlight: 0 };
  const traffic = { ...deps, limits, observer, connections, unread, ...own };
  return (incoming, outgoing) => new Exchange(traffic, incoming, outgoing, connections.of(incoming.socket)).begin();
}

/** What the requests of one listener share. */
interface Traffic extends HttpAdapterDeps {
  readonly limits: AdapterLimits;
  readonly observer: ServiceObserver;
  readonly connections: ConnectionTable;
  readonly unread: UnreadBytes;
  readonly bodies: ArrivingBodies;
  /** Called when the kernel took a large response. */
  readonly onTaken: () => void;
  readonly sourceOf: SourceOf;
  readonly newRequestID: () => string;
  /** Requests that the routes answer or whose client still reads the response. */
  inFlight: number;
}

const emptyBody = new Uint8Array();
const ignore = () => undefined;

/** A request and its response: one object, because closures for each step would cost more than the steps. */
class Exchange {
  readonly #traffic: Traffic;
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  readonly #connection: Connection;
  readonly #startedMs: number;
  readonly #head: RequestHead;
  readonly #requestID: string;
  #isInFlight = false;
  #held: HeldResponse | undefined;
  #arriving: ArrivingBody | undefined;

  constructor(traffic: Traffic, incoming: IncomingMessage, outgoing: ServerResponse, connection: Connection) {
    this.#traffic = traffic;
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.#connection = connection;
    this.#startedMs = traffic.clock.monotonic();
    this.#head = headOnConnection(incoming, connection, traffic.sourceOf);
    this.#requestID = this.#head.requestID ?? traffic.newRequestID();
  }

  begin(): void {
    const { observer, limits } = this.#traffic;
    observer.requestBegan();
    const { waiting } = this.#connection;
    if (waiting.length === 0) this.#releaseTaken();
    waiting.push(this.#outgoing);
    this.#outgoing.on('close', () => this.#end());
    if (waiting.length > limits.maxPipelinedRequests) this.#incoming.socket.destroy();
    else if (this.#head.isPlain && this.#incoming.url?.startsWith('/')) this.#answer(emptyBody);
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
      // The client has left meanwhile, and what it would take now would never be released.
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
    const arriving = { network: this.#clientNetwork, cut: () => this.#refuse(busy()) };
    this.#arriving = arriving;
    this.#traffic.bodies.add(arriving);
    readBody(this.#incoming, limitBytes, (body) => {
      this.#traffic.bodies.remove(arriving);
      const isCut = this.#outgoing.writableEnded;
      if (!isCut) this.#answer(body);
    });
  }

  get #clientNetwork(): string {
    return clientNetwork(this.#head.source.clientAddress ?? '');
  }

  #answer(body: Uint8Array): void {
    const { waiting, deferred } = this.#connection;
    if (mustWait(waiting, this.#outgoing)) {
      deferred.push(() => this.#answer(body));
      return;
    }
    const traffic = this.#traffic;
    if (traffic.inFlight >= traffic.limits.concurrentRequests) {
      this.#refuse(busy());
      return;
    }
    traffic.inFlight += 1;
    this.#connection.answering += 1;
    this.#isInFlight = true;
    const handled = traffic.answer(this.#request(body));
    if (handled instanceof Promise) void handled.then((late) => this.#finish(late));
    else this.#finish(handled);
  }

  /** Sends a response that does not come from `answer`. */
  #refuse(refusal: HandledRequest): void {
    this.#finish(this.#withCrossOrigin(refusal));
  }

  #withCrossOrigin(handled: HandledRequest): HandledRequest {
    const { method = '' } = this.#incoming;
    return this.#traffic.crossOrigin?.({ method, headers: this.#head.headers }, handled) ?? handled;
  }

  #request(body: Uint8Array): ServiceRequest {
    const { method = '', url = '' } = this.#incoming;
    const { headers, source } = this.#head;
    const target = targetOnConnection(url, this.#connection);
    const { clientAddress, scheme, forwardedHost } = source;
    return { method, target, headers, body, clientAddress, scheme, forwardedHost, requestID: this.#requestID };
  }

  #finish(answered: HandledRequest): void {
    const handled = this.#mayBeHeld(answered) ? answered : this.#withCrossOrigin(tooManyUnread(answered));
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
    logAndCount(this.#traffic, this.#connection, asked, handled);
  }

  /** False when the caller, or all callers, have too many bytes to read. */
  #mayBeHeld(handled: HandledRequest): boolean {
    const bytes = bodyLengthOf(handled.response);
    return bytes <= smallResponseBytes || this.#traffic.unread.admits(this.#callerOf(handled), bytes);
  }

  #callerOf({ caller }: HandledRequest): string {
    return caller ? `${caller.class} ${caller.name}` : this.#clientNetwork;
  }

  #send(handled: HandledRequest): void {
    const { delivery, response } = handled;
    // Node marks a request without a body as complete only after its listener has returned.
    const isWhole = this.#incoming.complete || !this.#head.hasBody;
    if (delivery) {
      const headers = { ...response.headers, [requestIDHeader]: this.#requestID };
      delivery.deliver(this.#outgoing, { ...response, headers }, isWhole);
      this.#hold(handled);
      return;
    }
    deliver(this.#outgoing, response, this.#requestID, isWhole);
    this.#hold(handled);
    // The kernel took all of it, or the connection is closed.
    if (this.#outgoing.writableLength === 0 || this.#outgoing.destroyed) return;
    this.#cutSlowReader();
  }

  /**
   * Disconnects a client that does not read its response within `answerTimeoutMs`. Until then the request is in flight. A connection
   * that only closes would leave what the kernel holds of the response in memory for minutes.
   */
  #cutSlowReader(): void {
    const { limits, clock } = this.#traffic;
    const timer = clock.setTimer(limits.answerTimeoutMs, () => this.#connection.cut());
    this.#outgoing.once('close', () => timer.cancel());
  }

  #hold(handled: HandledRequest): void {
    const bytes = bodyLengthOf(handled.response);
    if (bytes <= smallResponseBytes || this.#outgoing.destroyed) return;
    this.#held = this.#traffic.unread.hold(this.#callerOf(handled), bytes, () => this.#connection.cut());
  }

  /** The response has left the service. It counts on until the client sends its next request, or its connection closes. */
  #settle(held: HeldResponse): void {
    const { socket } = this.#incoming;
    if (socket.destroyed) {
      this.#traffic.unread.release(held);
      return;
    }
    const connection = this.#connection;
    connection.taken.push(held);
    connection.queue ||= queueKey(socket);
    this.#traffic.unread.markTaken(held, connection.queue, () => {
      connection.taken.splice(connection.taken.indexOf(held), 1);
      connection.cut();
    });
    this.#traffic.onTaken();
    if (connection.releasesAtEnd) return;
    connection.releasesAtEnd = true;
    socket.once('close', () => this.#releaseTaken());
  }

  #releaseTaken(): void {
    if (this.#connection.taken.length === 0) return;
    for (const held of this.#connection.taken.splice(0)) this.#traffic.unread.release(held);
  }

  #end(): void {
    this.#traffic.observer.requestEnded();
    if (this.#held) this.#settle(this.#held);
    if (this.#arriving) this.#traffic.bodies.remove(this.#arriving);
    const { waiting } = this.#connection;
    if (waiting[0] === this.#outgoing) waiting.shift();
    else waiting.splice(waiting.indexOf(this.#outgoing), 1);
    this.#traffic.connections.touch(this.#connection);
    if (this.#isInFlight) {
      this.#connection.answering -= 1;
      this.#traffic.inFlight -= 1;
    }
    this.#beginDeferred();
  }

  /** Those that must go on waiting are deferred again, in the same order. */
  #beginDeferred(): void {
    const { deferred } = this.#connection;
    if (deferred.length === 0) return;
    const begun = deferred.splice(0);
    // Requests of a closed connection have no response to wait for, and none to send.
    if (!this.#incoming.socket.destroyed) for (const answer of begun) answer();
  }
}

function busy(): HandledRequest {
  const response = unavailable('ServerBusy', 'Too many requests are in flight.');
  return { response, route: 'unknown', principal: 'none' };
}
