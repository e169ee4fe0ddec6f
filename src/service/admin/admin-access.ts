// Who may use the admin port. With a token: whoever has it. Without one the port is on loopback, and the danger is a web
// page in a browser on this machine: its requests carry an Origin, or the name of a host that was made to point here.
import type { SecretText } from '../../lib/secret-text.ts';
import { headerOf, type ServiceRequest, type ServiceResponse } from '../http/message.ts';
import { isSameSecret } from '../oauth/secret-hash.ts';
import { isLoopback } from '../service-options.ts';
import { adminError } from './admin-error.ts';

/** Why the caller may not, or undefined when it may. */
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
  return adminError('ForeignRequest', 'Without an admin token only programs on this machine are served.');
}

/** Of a Host header, with or without a port. */
function isLoopbackName(host: string): boolean {
  const [, address, name] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+))(?::[0-9]{1,5})?$/.exec(host) ?? [];
  return isLoopback({ host: (address ?? name ?? '').toLowerCase(), port: 0 });
}
