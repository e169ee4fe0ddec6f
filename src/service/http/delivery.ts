// Writes a response to a socket.
import type { ServerResponse } from 'node:http';

import type { ServiceResponse } from './message.ts';

/** Writes the whole answer. A request that was not read to its end leaves its connection unusable. */
export function deliver(outgoing: ServerResponse, response: ServiceResponse, isWhole: boolean): void {
  outgoing.writeHead(response.status, headersOf(response, isWhole));
  outgoing.end(response.body, encodingOf(response));
}

/** As many bytes as characters: it is ASCII, and need not be encoded one by one. */
function encodingOf({ body = '', headers }: ServiceResponse): 'latin1' | 'utf8' {
  return headers['content-length'] === String(body.length) ? 'latin1' : 'utf8';
}

/** The headers as sent: a request that was not read to its end closes its connection. */
export function headersOf(response: ServiceResponse, isWhole: boolean): Readonly<Record<string, string>> {
  return isWhole ? response.headers : { ...response.headers, connection: 'close' };
}
