// Which connections reach the same service.
import type { AnyConnection } from './resources.ts';

/**
 * The canonical form of the service that a connection reaches, equal for all connections to the same endpoint. Policies
 * show it as `status.dismissalEndpoint`.
 */
export function endpointKey({ spec }: AnyConnection): string {
  const { baseURL, providerNamespace } = spec.endpoint;
  return `${canonicalURL(baseURL)} ${providerNamespace.toLowerCase()}`;
}

/**
 * Compares paths without regard to case. If two services differ only by the case of their paths, an alert may stay
 * active because of the wrong one; a comparison with case could instead bypass a guard.
 */
function canonicalURL(text: string): string {
  const url = URL.parse(text);
  // No request can be sent to an invalid URL; any stable form will do.
  if (!url) return text.replace(/\/+$/, '').toLowerCase();
  const host = url.hostname.replace(/\.$/, '');
  const path = url.pathname.replace(/%[0-9a-f]{2}/gi, decodeUnreserved).replace(/\/+$/, '');
  const port = url.port === '' ? '' : `:${url.port}`;
  return `${url.protocol}//${host}${port}${path}${url.search}`.toLowerCase();
}

/** Percent-encoding of unreserved characters is redundant (RFC 3986, 6.2.2.2). */
function decodeUnreserved(code: string): string {
  const decoded = String.fromCodePoint(Number.parseInt(code.slice(1), 16));
  return /[\w.~-]/.test(decoded) ? decoded : code;
}
