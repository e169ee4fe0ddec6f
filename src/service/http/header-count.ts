// The number of headers of a request, for Node 24. Node 26 refuses a request with more than `mostHeaders` itself.
import type { IncomingMessage } from 'node:http';

import { mostHeaders } from '../../lib/http-server.ts';
import type { HandledRequest } from './message.ts';
import { errorResponse } from './service-errors.ts';

/** Node 24 leaves headers beyond the limit out of `headers`, and `rawHeaders` has some of them: such a request cannot be understood. */
export function hasTooManyHeaders({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  // A name and a value for each header.
  return rawHeaders.length > 2 * mostHeaders;
}

export function tooManyHeaders(): HandledRequest {
  const response = errorResponse('HeadersTooLarge', 'The headers are larger than 16 KiB, or more than 100.');
  return { response, route: 'unknown', principal: 'none' };
}
