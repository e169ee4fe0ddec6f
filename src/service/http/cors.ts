// Cross-origin requests of web pages (CORS, in the Fetch standard): which origins may read a response, and the answer to a preflight
// request. Tokens travel in a header that pages set themselves, so no response allows credentials, that is cookies.
import type { HandledRequest, RouteName, ServiceRequest, ServiceResponse } from './message.ts';
import { emptyResponse, headerOf } from './message.ts';

export interface CrossOriginDeps {
  /** True when a page of this origin may read responses. */
  readonly allowsOrigin: (origin: string) => boolean;
  /** False: no response depends on the origin. */
  readonly hasOrigins: () => boolean;
}

/** Adds the headers of CORS to a response. */
export type CrossOrigin = (request: CrossOriginRequest, handled: HandledRequest) => HandledRequest;

type CrossOriginRequest = Pick<ServiceRequest, 'method' | 'headers'>;

/** Browsers navigate to the sign-in page; no page reads it. */
const navigated: RouteName = 'authorize';

/** Headers that a page may read beside those of the Fetch standard. */
const exposed = 'retry-after, www-authenticate, x-request-id';

/** Time that a browser may reuse the answer to a preflight request, in seconds. */
const preflightAgeSeconds = 600;

/** A list of header names, as browsers send it. */
const headerNames = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+(?:, ?[A-Za-z0-9!#$%&'*+.^_`|~-]+)*$/;

const headerNamesLimit = 1024;

/** The header of a preflight request with the method of the request that follows. */
const asksFor = 'access-control-request-method';

const methodName = /^[A-Z]{1,16}$/;

export function createCrossOrigin({ allowsOrigin, hasOrigins }: CrossOriginDeps): CrossOrigin {
  return (request, handled) => {
    if (handled.route === navigated || !hasOrigins()) return handled;
    const { origin } = request.headers;
    if (typeof origin !== 'string' || !allowsOrigin(origin)) return withHeaders(handled, handled.response, {});
    const response = isPreflight(request) ? preflightResponse(request, handled.response) : handled.response;
    return withHeaders(handled, response, allowedHeaders(request, response, origin));
  };
}

function isPreflight(request: CrossOriginRequest): boolean {
  return request.method === 'OPTIONS' && headerOf(request, asksFor) !== undefined;
}

/**
 * A browser keeps the response to a request from its page if the preflight request before it got an error. So an error, such as that of
 * an unknown path, is left to the request itself, and the page can read it.
 */
function preflightResponse(request: CrossOriginRequest, response: ServiceResponse): ServiceResponse {
  if (response.status < 400) return response;
  const method = headerOf(request, asksFor) ?? '';
  return emptyResponse(204, methodName.test(method) ? { allow: method } : {});
}

function allowedHeaders(
  request: CrossOriginRequest,
  { headers }: ServiceResponse,
  origin: string,
): Readonly<Record<string, string>> {
  const allow = { 'access-control-allow-origin': origin };
  if (!isPreflight(request)) return { ...allow, 'access-control-expose-headers': exposed };
  const asked = headerOf(request, 'access-control-request-headers') ?? '';
  const isList = asked.length <= headerNamesLimit && headerNames.test(asked);
  return {
    ...allow,
    'access-control-allow-methods': headers['allow'] ?? '',
    'access-control-max-age': String(preflightAgeSeconds),
    // Every header that the service does not know has no effect, and clients add their own for tracing.
    ...(isList && { 'access-control-allow-headers': asked }),
  };
}

/** `Vary` also without an allowed origin, so that a cache never gives the response of one origin to another. */
function withHeaders(
  handled: HandledRequest,
  response: ServiceResponse,
  added: Readonly<Record<string, string>>,
): HandledRequest {
  const { vary } = response.headers;
  const headers = { ...response.headers, ...added, vary: vary === undefined ? 'Origin' : `${vary}, Origin` };
  return { ...handled, response: { ...response, headers } };
}
