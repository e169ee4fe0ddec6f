// Whether the service accepts the Host header and the origin of the target.
import type { IncomingMessage } from 'node:http';

import { isHost } from './forwarded.ts';
import { countOf } from './header-count.ts';
import type { ServiceRequest } from './message.ts';
import { targetOrigin } from './resource-path.ts';

/** The problem of a request whose Host header or target the service does not accept; undefined for any other. */
export function hostProblem(incoming: IncomingMessage, scheme: ServiceRequest['scheme']): string | undefined {
  if (!hasOneHost(incoming)) return 'An HTTP/1.1 request must have exactly one Host header.';
  const { headers, url = '' } = incoming;
  const origin = targetOrigin(url);
  if (!isValid(headers.host) || !isValid(origin?.host)) return invalidHost;
  // A request for an https resource must have arrived over TLS (RFC 9110 section 7.4).
  if (scheme === 'https' || origin?.scheme !== 'https') return undefined;
  return 'A request for an https target must be sent over TLS.';
}

export const invalidHost = 'The host must be a host name or an IP address, with or without a port.';

/** Whether the request has the one valid Host header that HTTP/1.1 requires (RFC 9112 section 3.2). */
export function hasValidHost(incoming: Pick<IncomingMessage, 'httpVersion' | 'rawHeaders' | 'headers'>): boolean {
  return hasOneHost(incoming) && isValid(incoming.headers.host);
}

function isValid(host: string | undefined): boolean {
  return host === undefined || isHost(host);
}

/** HTTP/1.0 needs no Host header. With two, a proxy may have used the other one. */
function hasOneHost({ httpVersion, rawHeaders }: Pick<IncomingMessage, 'httpVersion' | 'rawHeaders'>): boolean {
  const hosts = countOf({ rawHeaders }, 'host');
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}
