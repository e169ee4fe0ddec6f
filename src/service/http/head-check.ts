// What the headers of a request decide before the routes see it: whether there are too many, whether its Host and its target are clear,
// whether the service can read its body, and whether its client waits for permission to send one.
import type { IncomingMessage } from 'node:http';

import { hasTooManyHeaders, repeatedHeader } from './header-count.ts';
import { hostProblem } from './host-header.ts';
import { anonymous, type HandledRequest, type ServiceRequest } from './message.ts';
import { errorResponse, type ServiceErrorCode } from './service-errors.ts';

/** The response to a request that does not reach the routes; undefined for all others. */
export function refuseHead(incoming: IncomingMessage, scheme: ServiceRequest['scheme']): HandledRequest | undefined {
  const refuse = (code: ServiceErrorCode, message: string) => anonymous(errorResponse(code, message));
  if (hasTooManyHeaders(incoming)) {
    return refuse('HeadersTooLarge', 'The headers are larger than 16 KiB, or more than 100.');
  }
  const repeated = repeatedHeader(incoming);
  if (repeated !== undefined) return refuse('MalformedRequest', `The request repeats the header ${repeated}.`);
  const problem = hostProblem(incoming, scheme);
  if (problem !== undefined) return refuse('InvalidTarget', problem);
  if (!hasUnknownCoding(incoming)) return undefined;
  return refuse('UnknownTransferCoding', 'The only transfer coding that the service knows is chunked.');
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
