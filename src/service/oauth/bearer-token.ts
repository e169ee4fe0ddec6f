// The bearer token of a request (RFC 6750) and the key under which a verified one is known. Requests of a connection that repeat their
// headers share the object of the headers, so the token is found and hashed once for it. The object's end is the end of the memory of it.
import { headerOf, type ServiceRequest } from '../http/message.ts';
import { tokenKey } from './secret-hash.ts';

export interface BearerToken {
  readonly text: string;
  readonly key: string;
}

type Headers = ServiceRequest['headers'];

/** Undefined without a token, or without a valid one. */
export type BearerTokenOf = (request: Pick<ServiceRequest, 'headers'>) => BearerToken | undefined;

export function createBearerTokens(): BearerTokenOf {
  const known = new WeakMap<Headers, BearerToken>();
  return (request) => {
    const earlier = known.get(request.headers);
    if (earlier) return earlier;
    const token = readToken(request);
    if (token) known.set(request.headers, token);
    return token;
  };
}

function readToken(request: Pick<ServiceRequest, 'headers'>): BearerToken | undefined {
  const text = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(headerOf(request, 'authorization') ?? '')?.[1];
  return text === undefined ? undefined : { text, key: tokenKey(text) };
}
