// The origin of the links in a response. Clients send their token to it.
import { isHost } from './forwarded.ts';
import { headerOf, type ServiceRequest } from './message.ts';
import { targetOrigin } from './resource-path.ts';

/** The public URL if there is one, otherwise the origin that the client addressed; undefined when its host is not valid. */
export function linkOrigin(request: ServiceRequest, publicOrigin: string | undefined): string | undefined {
  if (publicOrigin !== undefined) return publicOrigin;
  const host = hostOf(request);
  return isHost(host) ? `${request.scheme}://${host}` : undefined;
}

/** The host that the client addressed. A target in absolute form replaces the Host header (RFC 9112 section 3.2.2). */
export function hostOf(request: ServiceRequest): string {
  return request.forwardedHost ?? targetOrigin(request.target)?.host ?? headerOf(request, 'host') ?? '';
}
