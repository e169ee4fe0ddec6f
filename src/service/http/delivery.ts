// Writes a response to a socket.
import type { ServerResponse } from 'node:http';

import type { ServiceResponse } from './message.ts';
import { requestIDHeader } from './request-id.ts';

/** Writes the whole response with the id of its request. If the request was not read to its end, its connection closes. */
export function deliver(
  outgoing: ServerResponse,
  response: ServiceResponse,
  requestID: string,
  isWhole: boolean,
): void {
  outgoing.writeHead(response.status, linesOf(response, requestID, isWhole));
  const { body, headers } = response;
  if (typeof body === 'string') outgoing.end(body, encodingOf(body, headers));
  else outgoing.end(body);
}

/** The headers as one list, so that a response whose headers many requests share is not copied for each of them. */
function linesOf({ headers }: ServiceResponse, requestID: string, isWhole: boolean): string[] {
  const lines: string[] = [];
  for (const name in headers) lines.push(name, headers[name] ?? '');
  lines.push(requestIDHeader, requestID);
  if (!isWhole) lines.push('connection', 'close');
  return lines;
}

/** A body with as many bytes as characters is ASCII, which `latin1` encodes faster. */
function encodingOf(body: string, headers: ServiceResponse['headers']): 'latin1' | 'utf8' {
  return headers['content-length'] === String(body.length) ? 'latin1' : 'utf8';
}

/** The headers to send; they close the connection of a request that was not read to its end. */
export function headersOf(response: ServiceResponse, isWhole: boolean): Readonly<Record<string, string>> {
  return isWhole ? response.headers : { ...response.headers, connection: 'close' };
}
