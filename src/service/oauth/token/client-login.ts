// Authenticates a client of the token endpoint: by its secret in the Basic header or in the body, or by a signed assertion
// (RFC 6749 section 2.3, RFC 7523 section 2.2). A request must use only one of them.
import { clientNetwork } from '../../../lib/ip-address.ts';
import { headerOf, type ServiceRequest } from '../../http/message.ts';
import { attemptWindowMs, type AttemptBounds, type AttemptLimit } from '../attempt-limit.ts';
import type { Parameters } from '../form.ts';
import type { Registrations, ServiceClient } from '../registrations.ts';
import type { Assertions, RefusedAssertion } from './assertions.ts';
import type { Refusal } from './oauth-error.ts';
import type { SecretCheck } from './secret-check.ts';

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Higher than for users, because secrets of programs are long and random. */
export const clientBounds: AttemptBounds = { ofName: 100, ofNetwork: 300 };

/** Without a bound for a name, because a signature cannot be guessed, and every caller can name any client. */
export const assertionBounds: AttemptBounds = { ofNetwork: 300 };

export interface ClientLoginDeps {
  readonly registrations: Registrations;
  /** Of secrets. */
  readonly attempts: AttemptLimit;
  readonly assertionAttempts: AttemptLimit;
  readonly secrets: SecretCheck;
  readonly assertions: Assertions;
}

/** The client of a request that a public client may send as well: one without secret and keys only names itself (RFC 6749 section 2.1). */
export async function identifyClient(
  deps: ClientLoginDeps,
  request: ServiceRequest,
  form: Parameters,
): Promise<ServiceClient | Refusal> {
  const named = namedClient(deps, request, form);
  return named && isPublicClient(named) ? named : loginClient(deps, request, form);
}

/** The client that a request names without a secret: by `client_id`, or by Basic with an empty secret, as some libraries do. */
function namedClient(deps: ClientLoginDeps, request: ServiceRequest, form: Parameters): ServiceClient | undefined {
  if (!hasLogin(request, form)) return deps.registrations.client(form.get('client_id') ?? '');
  if (form.has('client_assertion')) return undefined;
  const login = parseLogin(deps, request, form);
  return 'error' in login || login.secrets[0] !== '' ? undefined : deps.registrations.client(login.id);
}

export function isPublicClient({ secret, secretHash, keys, federated }: ServiceClient): boolean {
  return [secret, secretHash, keys, federated].every((credential) => credential === undefined);
}

export function hasLogin(request: ServiceRequest, form: Parameters): boolean {
  const members = ['client_secret', 'client_assertion', 'client_assertion_type'];
  return headerOf(request, 'authorization') !== undefined || members.some((name) => form.has(name));
}

interface SecretLogin {
  readonly id: string;
  /** The readings of what the client sent; one of them must be right. */
  readonly secrets: readonly string[];
}

export async function loginClient(
  deps: ClientLoginDeps,
  request: ServiceRequest,
  form: Parameters,
): Promise<ServiceClient | Refusal> {
  if (form.has('client_assertion') || form.has('client_assertion_type')) {
    return loginByAssertion(deps, request, form);
  }
  const login = parseLogin(deps, request, form);
  if ('error' in login) return login;
  const attempt = { name: login.id, address: request.clientAddress };
  if (deps.attempts.isClosed(attempt)) return tooManyWrong('secrets');
  const client = deps.registrations.client(login.id);
  const outcome = await deps.secrets.check(client, login.secrets, clientNetwork(attempt.address ?? ''));
  if (outcome === 'busy') return busy();
  if (outcome === 'right' && client) {
    deps.attempts.noteSuccess(attempt);
    return client;
  }
  deps.attempts.noteFailure(attempt);
  return unknownClient('Unknown client or wrong secret.');
}

async function loginByAssertion(
  deps: ClientLoginDeps,
  request: ServiceRequest,
  form: Parameters,
): Promise<ServiceClient | Refusal> {
  if (headerOf(request, 'authorization') !== undefined || form.has('client_secret')) {
    return { error: 'invalid_request', description: 'Send a secret or an assertion, not both.' };
  }
  if (form.get('client_assertion_type') !== assertionType) {
    return { error: 'invalid_request', description: `client_assertion_type must be ${assertionType}.` };
  }
  const client = await redeemAssertion(deps, request, form.get('client_assertion') ?? '');
  if ('error' in client) return client;
  if ('problem' in client) return unknownClient(client.problem ?? 'The assertion is invalid.');
  const id = form.get('client_id') ?? client.id;
  return id === client.id ? client : differentIDs();
}

/**
 * Redeems an assertion, unless too many came from the network that none of the registered keys signed. The bound does not refuse a client
 * that succeeded there before.
 */
export async function redeemAssertion(
  { assertions, assertionAttempts: attempts }: ClientLoginDeps,
  { clientAddress: address, requestID }: ServiceRequest,
  text: string,
): Promise<ServiceClient | RefusedAssertion | Refusal> {
  const attempt = { name: assertions.clientNamedBy(text), address };
  if (attempts.isClosed(attempt)) return tooManyWrong('assertions');
  const client = await assertions.redeem(text, requestID);
  if ('error' in client) return client;
  if ('id' in client) attempts.noteSuccess(attempt);
  // With a problem, the signature was right.
  else if (client.problem === undefined && !attempts.noteFailure(attempt)) return tooManyWrong('assertions');
  return client;
}

/** Id and secret from the Basic header or from the body, never from both (RFC 6749 section 2.3). */
function parseLogin(
  { registrations }: ClientLoginDeps,
  request: ServiceRequest,
  form: Parameters,
): SecretLogin | Refusal {
  const header = headerOf(request, 'authorization');
  const id = form.get('client_id');
  const secret = form.get('client_secret');
  if (header === undefined) {
    if (id !== undefined && secret !== undefined) return { id, secrets: [secret] };
    return unknownClient(
      'Send the client id and secret with Basic authentication or in the body, or send an assertion.',
    );
  }
  if (secret !== undefined) {
    return {
      error: 'invalid_request',
      description: 'Send the client secret once: with Basic authentication or in the body.',
    };
  }
  const login = parseBasic(header, registrations);
  if (!login) return unknownClient('The Authorization header is not valid Basic authentication.');
  return id === undefined || id === login.id ? login : differentIDs();
}

function unknownClient(description: string): Refusal {
  return { error: 'invalid_client', description };
}

function tooManyWrong(credentials: 'secrets' | 'assertions'): Refusal {
  const description = `Too many wrong ${credentials}. Wait a minute and try again.`;
  return { error: 'temporarily_unavailable', description, retryAfterSeconds: attemptWindowMs / 1000 };
}

function busy(): Refusal {
  const description = 'Too many concurrent logins. Try again.';
  return { error: 'temporarily_unavailable', description, retryAfterSeconds: 1 };
}

function differentIDs(): Refusal {
  return { error: 'invalid_request', description: 'The request names two different client ids.' };
}

/**
 * Both parts are form-encoded before they are joined (RFC 6749 section 2.3.1), but many clients send them as they are. So a registered
 * id is taken literally, any other one decoded, and the secret is read both ways.
 */
function parseBasic(header: string, registrations: Registrations): SecretLogin | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+=*) *$/i.exec(header)?.[1];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  return { id: registrations.client(id) ? id : formDecode(id), secrets: [...new Set([formDecode(secret), secret])] };
}

/** Returns text with an invalid percent-encoding unchanged. */
function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
