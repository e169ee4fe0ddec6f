// Access to the admin port. With a token, a request must carry it. Without one the port listens on loopback, and the risk is a
// web page in a browser on this machine: its requests carry an Origin, or a Host name that resolves to loopback.
import { isLoopback } from '../../lib/loopback.ts';
import type { SecretText } from '../../lib/secret-text.ts';
import { headerOf, type ServiceRequest, type ServiceResponse } from '../http/message.ts';
import { isSameSecret } from '../oauth/secret-hash.ts';
import { adminError } from './admin-error.ts';

/** The refusal of a caller; undefined for an allowed one. */
export function refuseCaller(request: ServiceRequest, token: SecretText | undefined): ServiceResponse | undefined {
  return token ? refuseWithoutToken(request, token) : refuseForeign(request);
}

function refuseWithoutToken(request: ServiceRequest, token: SecretText): ServiceResponse | undefined {
  const given = /^bearer +(\S+) *$/i.exec(headerOf(request, 'authorization') ?? '')?.[1];
  if (given !== undefined && isSameSecret(token, given)) return undefined;
  const headers = { 'www-authenticate': 'Bearer realm="rolealerts admin"' };
  return adminError('AuthenticationRequired', 'Send the admin token as "Authorization: Bearer TOKEN".', { headers });
}

function refuseForeign(request: ServiceRequest): ServiceResponse | undefined {
  const isFromPage = request.headers['origin'] !== undefined;
  if (!isFromPage && isLoopbackName(headerOf(request, 'host') ?? '')) return undefined;
  return adminError('ForeignRequest', 'Without an admin token, the admin port accepts only programs on this machine.');
}

/** Whether a Host header, with or without a port, names loopback. */
function isLoopbackName(host: string): boolean {
  const [, address, name] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+))(?::[0-9]{1,5})?$/.exec(host) ?? [];
  return isLoopback({ host: (address ?? name ?? '').toLowerCase() });
}
