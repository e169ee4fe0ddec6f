// Responds to requests that never reach the listener, as Node does by default, but with a body.
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

import { systemClock } from './clock.ts';

/** The status of a request that never reaches the listener: malformed, timed out, too large headers, or CONNECT. */
export type ClientErrorStatus = 400 | 405 | 408 | 431;

export interface ClientErrorAnswer {
  /** JSON. */
  readonly body: string;
  /** Beside those of the body and the connection. */
  readonly headers: Readonly<Record<string, string>>;
}

/** `request` is the one whose body is at fault; undefined when the headers are. */
export type AnswerClientError = (status: ClientErrorStatus, request: IncomingMessage | undefined) => ClientErrorAnswer;

export interface UnroutableOptions {
  readonly answerOf: AnswerClientError;
  /** The responses of a connection that have not ended, in the order of their requests. */
  readonly unanswered: (socket: Duplex) => readonly ServerResponse[];
}

/** Responds as Node does by default, but with a body. Writes nothing into a response that has started. */
export function respondToUnroutable(server: Server | TlsServer, { answerOf, unanswered }: UnroutableOptions): void {
  const isShakingHands = trackHandshakes(server);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const status = unroutableStatuses[error.code ?? ''] ?? 400;
    const open = unanswered(socket);
    if (isShakingHands(socket) || !socket.writable || error.code === 'ECONNRESET' || !mayAnswer(open)) {
      socket.destroy();
      return;
    }
    const [first] = open;
    endWith(socket, status, answerOf(status, first?.req));
  });
  // CONNECT is not supported; by default Node would close the socket without a response.
  server.on('connect', (request, socket: Duplex) => {
    if (mayAnswer(unanswered(socket))) endWith(socket, 405, answerOf(405, request));
    else socket.destroy();
  });
  // A server may ignore an unknown expectation (RFC 9110 section 10.1.1); Node would refuse it without a body.
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing));
}

function endWith(socket: Duplex, status: ClientErrorStatus, { body, headers }: ClientErrorAnswer): void {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    // RFC 9110 section 6.6.1 requires it of every 4xx; Node adds it to all other responses.
    `Date: ${new Date(systemClock.now()).toUTCString()}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.on('error', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** True for a TLS socket during its handshake: a write to it would wait for ever, and so would its end. */
function trackHandshakes(server: Server | TlsServer): (socket: Duplex) => boolean {
  const done = new WeakSet<Duplex>();
  server.on('secureConnection', (socket: TLSSocket) => done.add(socket));
  return (socket) => socket instanceof TLSSocket && !done.has(socket);
}

/**
 * False when a client could take the error response for the response to an earlier request. An error while the only open request
 * still sends its body belongs to that request: it did not arrive in time, or a chunk of it is malformed.
 */
function mayAnswer(unanswered: readonly ServerResponse[]): boolean {
  const [first] = unanswered;
  return !first || (unanswered.length === 1 && !first.headersSent && !first.req.complete);
}

const unroutableStatuses: Readonly<Record<string, ClientErrorStatus>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
