// Section 4.1: one page of a scope's alerts. The response is concatenated from stored JSON texts without parsing them.
// The contract leaves page size and paging parameters undefined; `skipToken` is a choice of this service.
import { thenOrNow, type MaybePromise } from '../../lib/maybe-promise.ts';
import { headerOf, jsonResponse, type ServiceRequest, type ServiceResponse } from '../http/message.ts';
import { errorResponse } from '../http/service-errors.ts';
import type { AlertStore, StoredPage } from './alert-store.ts';
import { formatSkipToken, parseSkipToken } from './skip-token.ts';

export interface ListCall {
  readonly request: ServiceRequest;
  readonly scope: string;
  /** The path as sent, so that a nextLink keeps the caller's spelling. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly apiVersion: string;
}

export function listAlerts(store: AlertStore, pageSize: number, call: ListCall): MaybePromise<ServiceResponse> {
  const { scope, query } = call;
  const token = query.get('skipToken');
  const after = token === null ? 0 : parseSkipToken(scope, token);
  if (after === undefined) {
    return errorResponse('InvalidSkipToken', 'The skipToken must come from a nextLink of this scope.');
  }
  return thenOrNow(store.readPage({ scope, after, limit: pageSize }), (page) => pageResponse(call, page));
}

function pageResponse(call: ListCall, page: StoredPage | undefined): ServiceResponse {
  if (!page) return errorResponse('ScopeNotFound', 'The service does not know this scope.');
  if (page.lastPosition === undefined) return jsonResponse(200, `{"value":[${page.text}]}`);
  const link = nextLink(call, formatSkipToken(call.scope, page.lastPosition));
  if (link === undefined)
    return errorResponse('InvalidTarget', 'The Host header must be a host name, with or without a port.');
  return jsonResponse(200, `{"value":[${page.text}],"nextLink":${JSON.stringify(link)}}`);
}

/** An absolute URL on the origin of the request, because clients refuse to send a token to another origin. */
function nextLink({ request, path, apiVersion }: ListCall, skipToken: string): string | undefined {
  const host = headerOf(request, 'host') ?? '';
  if (!/^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/.test(host)) return undefined;
  const query = new URLSearchParams({ 'api-version': apiVersion, skipToken });
  return `${request.scheme}://${host}${encodedPath(path)}?${query.toString()}`;
}

/** The path as sent, with the characters encoded that a URI must encode (RFC 3986 section 3.3). */
function encodedPath(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/gu, (character) => encodeURIComponent(character));
}
