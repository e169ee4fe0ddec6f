// Responds to requests that never reach the listener, as Node does by default, but within the bounds of the connection, and with a body.
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';

import type { HttpConnection, HttpConnections } from './http-connections.ts';

/** The status of a request that never reaches the listener: malformed, timed out, or with too large headers. */
export type ClientErrorStatus = 400 | 408 | 431;

export interface ClientErrorAnswer {
  /** JSON. */
  readonly body: string;
  /** Beside those of the body and the connection. RFC 9110 section 6.6.1 requires `date`, which Node adds to all other responses. */
  readonly headers: Readonly<Record<string, string>>;
}

/** `request` is the one whose body is at fault; undefined when the headers are. */
export type AnswerClientError = (status: ClientErrorStatus, request: IncomingMessage | undefined) => ClientErrorAnswer;

/** Writes nothing into a response that has started. `answerOf`: by default responses have no body. */
export function respondToUnroutable(
  server: Server | TlsServer,
  connections: HttpConnections,
  answerOf: AnswerClientError = () => ({ body: '', headers: {} }),
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Undefined for a TLS socket during its handshake: a write to it would wait for ever, and so would its end.
    const connection = connections.of(socket);
    const open = connection?.waiting ?? [];
    if (!connection) {
      socket.destroy();
      return;
    }
    if (!socket.writable || error.code === 'ECONNRESET') {
      connection.cut();
      return;
    }
    if (!mayAnswer(open)) {
      connection.end();
      return;
    }
    const status = unroutableStatuses[error.code ?? ''] ?? 400;
    const [first] = open;
    endWith(connection, status, answerOf(status, first?.req));
  });
}

function endWith(connection: HttpConnection, status: ClientErrorStatus, { body, headers }: ClientErrorAnswer): void {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    ...(body ? ['Content-Type: application/json; charset=utf-8'] : []),
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  connection.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
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
