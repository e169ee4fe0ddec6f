// What the headers of a request decide before the routes see it: whether there are too many, whether its Host and its target are clear,
// whether the service can read its body, and whether its client waits for permission to send one.
import type { IncomingMessage } from 'node:http';

import { hasTooManyHeaders, repeatedHeader, tooManyHeaders } from './header-count.ts';
import { refuseOrigin } from './host-header.ts';
import type { HandledRequest, ServiceRequest } from './message.ts';
import { errorResponse } from './service-errors.ts';

/** The response to a request that does not reach the routes; undefined for all others. */
export function refuseHead(incoming: IncomingMessage, scheme: ServiceRequest['scheme']): HandledRequest | undefined {
  if (hasTooManyHeaders(incoming)) return tooManyHeaders();
  const repeated = repeatedHeader(incoming);
  if (repeated !== undefined) return repetition(repeated);
  return refuseOrigin(incoming, scheme) ?? (hasUnknownCoding(incoming) ? unknownCoding() : undefined);
}

/** True when the client sends its body only after a 100. One of HTTP/1.0 gets none (RFC 9110 section 10.1.1). */
export function awaitsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersion !== '1.0' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect);
}

/**
 * RFC 9112 section 6.1: a coding other than chunked gets 501. The parser itself refuses a body whose last coding is not chunked,
 * because that has no end.
 */
function hasUnknownCoding({ headers }: IncomingMessage): boolean {
  const codings = headers['transfer-encoding']?.toLowerCase().split(',') ?? [];
  return codings.length > 1 && codings.at(-1)?.trim() === 'chunked';
}

function repetition(name: string): HandledRequest {
  const response = errorResponse('MalformedRequest', `The request repeats the header ${name}.`);
  return { response, route: 'unknown', principal: 'none' };
}

function unknownCoding(): HandledRequest {
  const response = errorResponse(
    'UnknownTransferCoding',
    'The only transfer coding that the service knows is chunked.',
  );
  return { response, route: 'unknown', principal: 'none' };
}
