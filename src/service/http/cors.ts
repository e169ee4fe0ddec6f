// Cross-origin requests of web pages (CORS, in the Fetch standard): which origins may read a response, and the answer to a preflight
// request. Tokens travel in a header that pages set themselves, so no response allows credentials, that is cookies.
import type { HandledRequest, RouteName, ServiceRequest, ServiceResponse } from './message.ts';
import { headerOf } from './message.ts';

export interface CrossOriginDeps {
  /** True when a page of this origin may read responses. */
  readonly allowsOrigin: (origin: string) => boolean;
  /** False: no response depends on the origin. */
  readonly hasOrigins: () => boolean;
}

/** Adds the headers of CORS to a response. */
export type CrossOrigin = (
  request: Pick<ServiceRequest, 'method' | 'headers'>,
  handled: HandledRequest,
) => HandledRequest;

/** Browsers navigate to the sign-in page; no page reads it. */
const navigated: RouteName = 'authorize';

/** Headers that a page may read beside those of the Fetch standard. */
const exposed = 'retry-after, etag, www-authenticate, x-request-id';

/** Time that a browser may reuse the answer to a preflight request, in seconds. */
const preflightAgeSeconds = 600;

/** A list of header names, as browsers send it. */
const headerNames = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+(?:, ?[A-Za-z0-9!#$%&'*+.^_`|~-]+)*$/;

const headerNamesLimit = 1024;

export function createCrossOrigin({ allowsOrigin, hasOrigins }: CrossOriginDeps): CrossOrigin {
  return (request, handled) => {
    if (handled.route === navigated || !hasOrigins()) return handled;
    const { origin } = request.headers;
    const isAllowed = typeof origin === 'string' && allowsOrigin(origin);
    const added = isAllowed ? allowedHeaders(request, handled.response, origin) : {};
    return { ...handled, response: withHeaders(handled.response, added) };
  };
}

function allowedHeaders(
  request: Pick<ServiceRequest, 'method' | 'headers'>,
  { headers }: ServiceResponse,
  origin: string,
): Readonly<Record<string, string>> {
  const isPreflight = request.method === 'OPTIONS' && headerOf(request, 'access-control-request-method') !== undefined;
  const allow = { 'access-control-allow-origin': origin };
  if (!isPreflight) return { ...allow, 'access-control-expose-headers': exposed };
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
function withHeaders(response: ServiceResponse, added: Readonly<Record<string, string>>): ServiceResponse {
  const { vary } = response.headers;
  const headers = { ...response.headers, ...added, vary: vary === undefined ? 'Origin' : `${vary}, Origin` };
  return { ...response, headers };
}
