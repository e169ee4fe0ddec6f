// The number of headers of a request, in all and of one name.
import type { IncomingMessage } from 'node:http';

import { mostHeaders } from '../../lib/http-server.ts';

/** Node 26 refuses such a request itself. Node 24 leaves headers beyond the limit out of `headers`, and `rawHeaders` has some of them: such a request cannot be understood. */
export function hasTooManyHeaders({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  // A name and a value for each header.
  return rawHeaders.length > 2 * mostHeaders;
}

/** How often the header is there. `name` is in lower case. */
export function countOf({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const each = rawHeaders[index] ?? '';
    if (each.length === name.length && each.toLowerCase() === name) count += 1;
  }
  return count;
}

/** With two of them, a proxy or a log may have used the other one; Node would take the first. */
const singleHeaders = ['authorization', 'content-type'];

/** The first header that must not be repeated and is; undefined for none. */
export function repeatedHeader(incoming: Pick<IncomingMessage, 'rawHeaders'>): string | undefined {
  return singleHeaders.find((name) => countOf(incoming, name) > 1);
}
