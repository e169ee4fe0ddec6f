// The OAuth 2.0 token endpoint: the client-credentials grant of RFC 6749 section 4.4, and nothing else.
// Section 5 of the specification shows the implicit flow only; programs need this one. Errors are those of RFC 6749 5.2.
import type { Clock } from '../lib/clock.ts';
import type { SecretSource } from '../lib/secret-source.ts';
import { SecretText } from '../lib/secret-text.ts';
import type { ServiceClient } from './authorization.ts';
import { headerOf, jsonResponse, mediaTypeOf, textOf, type ServiceRequest, type ServiceResponse } from './exchange.ts';
import { hashSecret, isSameSecret } from './secret-hash.ts';
import type { TokenStore } from './token-store.ts';

/** The one OAuth scope there is (section 5). Asking for none means this one. */
const onlyScope = 'user_impersonation';

export interface TokenEndpointParts {
  readonly clients: readonly ServiceClient[];
  readonly tokens: TokenStore;
  readonly lifetimeMs: number;
  readonly clock: Clock;
  readonly newSecret: SecretSource;
}

type OAuthError = 'invalid_request' | 'invalid_client' | 'unsupported_grant_type' | 'invalid_scope';

/** What is wrong with a token request. */
interface Refusal {
  readonly error: OAuthError;
  readonly description: string;
}

interface ClientLogin {
  readonly id: string;
  readonly secret: string;
}

export function createTokenEndpoint(parts: TokenEndpointParts): (request: ServiceRequest) => ServiceResponse {
  return (request) => {
    const form = parseForm(request);
    if ('error' in form) return refuse(form, request);
    const login = parseLogin(request, form);
    if ('error' in login) return refuse(login, request);
    const problem = grantProblem(form);
    const client = findClient(parts.clients, login);
    if (!client) return refuse({ error: 'invalid_client', description: 'Unknown client or wrong secret.' }, request);
    return problem ? refuse(problem, request) : grant(parts, client);
  };
}

function grant(parts: TokenEndpointParts, client: ServiceClient): ServiceResponse {
  const token = parts.newSecret();
  const nowMs = parts.clock.now();
  const hash = hashSecret(token.reveal());
  parts.tokens.saveToken({ hash, clientID: client.id, expiresAtMs: nowMs + parts.lifetimeMs }, nowMs);
  const body = JSON.stringify({
    access_token: token.reveal(),
    token_type: 'Bearer',
    expires_in: Math.floor(parts.lifetimeMs / 1000),
    scope: onlyScope,
  });
  return jsonResponse(200, body, { pragma: 'no-cache' });
}

function refuse(refusal: Refusal, request: ServiceRequest): ServiceResponse {
  const isUnknownClient = refusal.error === 'invalid_client';
  const usedHeader = headerOf(request, 'authorization') !== undefined;
  const challenge = isUnknownClient && usedHeader ? { 'www-authenticate': 'Basic realm="rolealerts"' } : {};
  const body = JSON.stringify({ error: refusal.error, error_description: refusal.description });
  const response = jsonResponse(isUnknownClient ? 401 : 400, body, { pragma: 'no-cache', ...challenge });
  return { ...response, errorCode: refusal.error };
}

/** The form's members, each at most once; empty values count as absent (RFC 6749 section 3.2). */
function parseForm(request: ServiceRequest): ReadonlyMap<string, string> | Refusal {
  const text = textOf(request.body);
  if (mediaTypeOf(request) !== 'application/x-www-form-urlencoded' || text === undefined) {
    return { error: 'invalid_request', description: 'The body must be application/x-www-form-urlencoded in UTF-8.' };
  }
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (form.has(name)) return { error: 'invalid_request', description: 'A parameter is repeated.' };
    form.set(name, value);
  }
  return new Map([...form].filter(([, value]) => value !== ''));
}

/** Id and secret from the Basic header or from the body, never from both (RFC 6749 section 2.3). */
function parseLogin(request: ServiceRequest, form: ReadonlyMap<string, string>): ClientLogin | Refusal {
  const header = headerOf(request, 'authorization');
  const id = form.get('client_id');
  const secret = form.get('client_secret');
  if (header === undefined) {
    if (id !== undefined && secret !== undefined) return { id, secret };
    return { error: 'invalid_client', description: 'Send the client id and secret with Basic or in the body.' };
  }
  if (secret !== undefined) {
    return { error: 'invalid_request', description: 'Send the client secret once, not with Basic and in the body.' };
  }
  const login = parseBasic(header);
  if (!login) return { error: 'invalid_client', description: 'The Authorization header is not of the form Basic.' };
  if (id === undefined || id === login.id) return login;
  return { error: 'invalid_request', description: 'The client ids of the header and the body differ.' };
}

/** Both parts are form-encoded before they are joined (RFC 6749 section 2.3.1). */
function parseBasic(header: string): ClientLogin | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+=*) *$/i.exec(header)?.[1];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  return { id: formDecode(id), secret: formDecode(secret) };
}

/** As it is when it holds a percent sign that encodes nothing: such clients did not encode at all. */
function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function findClient(clients: readonly ServiceClient[], login: ClientLogin): ServiceClient | undefined {
  const nobody: ServiceClient = { id: '', secret: new SecretText('') };
  const client = clients.find((candidate) => candidate.id === login.id);
  const isRight = isSameSecret((client ?? nobody).secret, login.secret);
  return isRight ? client : undefined;
}

function grantProblem(form: ReadonlyMap<string, string>): Refusal | undefined {
  const grantType = form.get('grant_type');
  if (grantType === undefined) return { error: 'invalid_request', description: 'grant_type is missing.' };
  if (grantType !== 'client_credentials') {
    return { error: 'unsupported_grant_type', description: 'Only client_credentials is supported.' };
  }
  const scope = form.get('scope');
  if (scope === undefined || scope === onlyScope) return undefined;
  return { error: 'invalid_scope', description: `The only scope is ${onlyScope}.` };
}
