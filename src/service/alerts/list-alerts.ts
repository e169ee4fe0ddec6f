// Section 4.1: one page of a scope's alerts, found by its scope and the skipToken; page-response.ts makes the response.
// The contract leaves page size and paging parameters undefined; `skipToken` is a choice of this service.
import { thenOrNow, type MaybePromise } from '../../lib/maybe-promise.ts';
import { invalidHost } from '../http/host-header.ts';
import { linkOrigin } from '../http/link-origin.ts';
import type { ServiceRequest, ServiceResponse } from '../http/message.ts';
import { errorResponse } from '../http/service-errors.ts';
import type { AlertStore, StoredPage } from './alert-store.ts';
import type { PageResponses } from './page-response.ts';
import { formatSkipToken, parseSkipToken } from './skip-token.ts';

export interface ListCall {
  readonly request: ServiceRequest;
  readonly scope: string;
  /** The path as sent, so that a nextLink keeps the caller's spelling. */
  readonly path: string;
  readonly skipToken: string | undefined;
  readonly apiVersion: string;
  /** See `RoutesDeps`. */
  readonly publicOrigin: string | undefined;
}

export interface ListDeps {
  readonly store: AlertStore;
  readonly pageSize: number;
  readonly pageResponses: PageResponses;
}

export function listAlerts(
  { store, pageSize, pageResponses }: ListDeps,
  call: ListCall,
): MaybePromise<ServiceResponse> {
  const { scope, skipToken } = call;
  const after = skipToken === undefined ? 0 : parseSkipToken(scope, skipToken);
  if (after === undefined) {
    return errorResponse('InvalidSkipToken', 'The skipToken must come from a nextLink of this scope.');
  }
  return thenOrNow(store.readPage({ scope, after, limit: pageSize }), (page) => respond(pageResponses, call, page));
}

function respond(pageResponses: PageResponses, call: ListCall, page: StoredPage | undefined): ServiceResponse {
  if (!page) return errorResponse('ScopeNotFound', 'The service does not know this scope.');
  if (page.lastPosition === undefined) return pageResponses(page, undefined);
  const link = nextLink(call, formatSkipToken(call.scope, page.lastPosition));
  // HTTP/1.0 requires no Host header.
  if (link === undefined) return errorResponse('InvalidTarget', invalidHost);
  return pageResponses(page, link);
}

/** An absolute URL, on the origin that the client addressed, because clients refuse to send a token to another one. */
function nextLink({ request, path, apiVersion, publicOrigin }: ListCall, skipToken: string): string | undefined {
  const origin = linkOrigin(request, publicOrigin);
  if (origin === undefined) return undefined;
  const query = new URLSearchParams({ 'api-version': apiVersion, skipToken });
  return `${origin}${encodedPath(path)}?${query.toString()}`;
}

/** The path as sent, with the characters encoded that a URI must encode (RFC 3986 section 3.3). */
function encodedPath(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/gu, (character) => encodeURIComponent(character));
}
