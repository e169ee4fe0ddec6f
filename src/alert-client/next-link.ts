// Where the next page is, when it may be fetched at all. A nextLink comes from outside and the request to it carries
// the token, so it must stay on the service's origin and under the path of the list. Everything else is refused.
import { CodedError } from '../lib/errors.ts';
import { versionQuery, type Endpoint } from './endpoint.ts';

const longestLink = 8192;

/**
 * Path and query of the next page. `currentTarget` is the path and query that answered, `listPath` the path of the
 * first page. The version is added when the link left it out (section 9 wants it on every request). Throws
 * `CodedError` `service-protocol`, reason `UnsafeNextLink`.
 */
export function nextTarget(endpoint: Endpoint, currentTarget: string, listPath: string, nextLink: string): string {
  const url = nextLink.length <= longestLink ? URL.parse(nextLink, `${endpoint.origin}${currentTarget}`) : null;
  if (url === null) throw unsafe('The link to the next page is not a URL.');
  if (url.origin !== endpoint.origin) throw unsafe('The link to the next page leads to another origin.');
  if (url.username !== '' || url.password !== '') throw unsafe('The link to the next page holds a user name.');
  if (!isUnder(url.pathname, listPath)) throw unsafe('The link to the next page leads away from the list.');
  if (url.searchParams.has('api-version')) return `${url.pathname}${url.search}`;
  const version = versionQuery(endpoint);
  return `${url.pathname}${url.search.length > 1 ? `${url.search}&${version.slice(1)}` : version}`;
}

/** Compared decoded and without case, as services differ in what they encode. An encoded slash could climb: refused. */
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

function unsafe(message: string): CodedError {
  return new CodedError('service-protocol', message, { reason: 'UnsafeNextLink' });
}
