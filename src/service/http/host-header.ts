// What the Host header decides: whether the service accepts a request, and the scheme that it answers with.
import type { IncomingMessage } from 'node:http';

import type { HandledRequest, ServiceRequest } from './message.ts';
import { errorResponse } from './service-errors.ts';

interface ServiceOrigin {
  /** The scheme of the listening socket. */
  readonly scheme: ServiceRequest['scheme'];
  readonly publicURL?: string | undefined;
}

/** The scheme of a request: that of the public URL for its host, otherwise that of the socket. */
export function createSchemeOf({
  scheme,
  publicURL,
}: ServiceOrigin): (incoming: IncomingMessage) => ServiceRequest['scheme'] {
  const { host, protocol } = new URL(publicURL ?? `${scheme}://localhost`);
  const publicScheme = protocol === 'https:' ? 'https' : 'http';
  return ({ headers }) => (publicURL !== undefined && headers.host === host ? publicScheme : scheme);
}

const hostName = 'host';

/** HTTP/1.1 requires one Host header (RFC 9112 section 3.2). With two, a proxy may have used the other one. */
export function hasOneHost({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === hostName.length && name.toLowerCase() === hostName) hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

/** The response to a request without exactly one Host header. */
export function noHost(): HandledRequest {
  const response = errorResponse('InvalidTarget', 'An HTTP/1.1 request must have exactly one Host header.');
  return { response, route: 'unknown', principal: 'none' };
}
