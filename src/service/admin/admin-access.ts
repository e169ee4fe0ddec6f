// Access to the admin port. With a token, a request must carry it. Without one the port listens on loopback, and the risk is a
// web page in a browser on this machine: its requests carry an Origin, or a Host name that resolves to loopback.
import { isLoopback } from '../../lib/ip-address.ts';
import type { SecretText } from '../../lib/secret-text.ts';
import { hostOf } from '../http/link-origin.ts';
import { headerOf, type ServiceRequest, type ServiceResponse } from '../http/message.ts';
import { attemptWindowMs, type AttemptBounds, type AttemptLimit } from '../oauth/attempt-limit.ts';
import { isSameSecret } from '../oauth/secret-hash.ts';
import { adminError } from './admin-error.ts';

export const adminBounds: AttemptBounds = { ofNetwork: 100 };

export interface AdminAccess {
  /** Absent: every program on this machine may call. */
  readonly token?: SecretText;
  readonly attempts: AttemptLimit;
}

/** The refusal of a caller; undefined for an allowed one. */
export function refuseCaller(request: ServiceRequest, access: AdminAccess): ServiceResponse | undefined {
  const { token, attempts } = access;
  return token ? refuseWithoutToken(request, token, attempts) : refuseForeign(request);
}

function refuseWithoutToken(
  request: ServiceRequest,
  token: SecretText,
  attempts: AttemptLimit,
): ServiceResponse | undefined {
  const isRight = hasToken(request, token);
  if (isRight === undefined) return askForToken();
  // With a name of its own, the right token is not refused where it was sent before.
  const attempt = { name: isRight ? 'admin' : '', address: request.clientAddress };
  if (attempts.isClosed(attempt)) return tooManyWrongTokens();
  if (isRight) attempts.noteSuccess(attempt);
  else attempts.noteFailure(attempt);
  return isRight ? undefined : askForToken();
}

/** Undefined for a request without a token. */
function hasToken(request: Pick<ServiceRequest, 'headers'>, token: SecretText): boolean | undefined {
  const given = /^bearer +(\S+) *$/i.exec(headerOf(request, 'authorization') ?? '')?.[1];
  return given === undefined ? undefined : isSameSecret(token, given);
}

/** Whether the headers of a request allow it to send a long body, before its caller is checked in full. */
export function maySendMuch(request: ServiceRequest, token: SecretText | undefined): boolean {
  return token ? hasToken(request, token) === true : refuseForeign(request) === undefined;
}

function tooManyWrongTokens(): ServiceResponse {
  const headers = { 'retry-after': String(attemptWindowMs / 1000) };
  const message = 'Too many wrong admin tokens came from this address. Wait a minute.';
  return adminError('TooManyWrongTokens', message, { headers });
}

function askForToken(): ServiceResponse {
  const headers = { 'www-authenticate': 'Bearer realm="rolealerts admin"' };
  return adminError('AuthenticationRequired', 'Send the admin token as "Authorization: Bearer TOKEN".', { headers });
}

function refuseForeign(request: ServiceRequest): ServiceResponse | undefined {
  const isFromPage = request.headers['origin'] !== undefined;
  if (!isFromPage && isLoopbackName(hostOf(request))) return undefined;
  return adminError('ForeignRequest', 'Without an admin token, the admin port accepts only programs on this machine.');
}

/** Whether a Host header, with or without a port, names loopback. */
function isLoopbackName(host: string): boolean {
  const [, address, name] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+))(?::[0-9]{1,5})?$/.exec(host) ?? [];
  return isLoopback({ host: (address ?? name ?? '').toLowerCase() });
}
