// Validates a nextLink. It comes from outside and the request to it carries the token, so it must stay on the service's
// origin and under the path of the list. Every other link is rejected.
import { AlertsError } from '../../alerts/alerts-error.ts';
import { versionQuery, type Endpoint } from './endpoint.ts';

const longestLink = 8192;

/**
 * Path and query of the next page. `currentTarget` is the path and query of the current page, `listPath` the path of the
 * first page. Adds the API version when the link omits it (section 9 requires it on every request). Throws
 * `AlertsError` `service-protocol`, reason `UnsafeNextLink`.
 */
export function nextTarget(endpoint: Endpoint, currentTarget: string, listPath: string, nextLink: string): string {
  const url = nextLink.length <= longestLink ? URL.parse(nextLink, `${endpoint.origin}${currentTarget}`) : null;
  if (url === null) throw unsafe('The nextLink is not a URL.');
  if (url.origin !== endpoint.origin) throw unsafe('The nextLink has another origin than the service.');
  if (url.username !== '' || url.password !== '') throw unsafe('The nextLink contains a user name or password.');
  if (!isUnder(url.pathname, listPath)) throw unsafe('The nextLink leaves the path of the list.');
  if (url.searchParams.has('api-version')) return `${url.pathname}${url.search}`;
  const version = versionQuery(endpoint);
  return `${url.pathname}${url.search.length > 1 ? `${url.search}&${version.slice(1)}` : version}`;
}

/**
 * Compares decoded paths, ignoring case, because services differ in what they encode. Rejects encoded slashes and dots,
 * which allow path traversal.
 */
function isUnder(path: string, listPath: string): boolean {
  if (/%2f|%5c|%2e/i.test(path)) return false;
  const wanted = comparable(listPath);
  const given = comparable(path);
  if (wanted === undefined || given === undefined) return false;
  return given === wanted || given.startsWith(`${wanted}/`);
}

function comparable(path: string): string | undefined {
  try {
    return decodeURIComponent(path).toLowerCase();
  } catch {
    return undefined;
  }
}

function unsafe(message: string): AlertsError {
  return new AlertsError('service-protocol', message, { reason: 'UnsafeNextLink' });
}
