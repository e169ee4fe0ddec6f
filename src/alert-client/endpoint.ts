// Where the service is and how its two paths are spelled (section 4). Pure: nothing is resolved or reached here;
// which addresses may be reached is decided when a connection is made.
import { CodedError } from '../lib/errors.ts';

export interface EndpointOptions {
  /** With or without a path, with or without a slash at its end. */
  readonly baseURL: string;
  readonly providerNamespace: string;
  readonly apiVersion: string;
}

export interface Endpoint {
  readonly origin: string;
  /** Before `/{scope}/providers/…`; starts with a slash unless it is empty. */
  readonly pathPrefix: string;
  readonly providerNamespace: string;
  readonly apiVersion: string;
}

/** Throws `CodedError` `endpoint-invalid`. */
export function parseEndpoint(options: EndpointOptions, allowHttp: boolean): Endpoint {
  const url = parseOutboundUrl(options.baseURL, 'base URL', allowHttp);
  if (url.search !== '' || options.baseURL.includes('?')) throw invalid('The base URL must not have a query.');
  return {
    origin: url.origin,
    pathPrefix: url.pathname.replace(/\/+$/, ''),
    providerNamespace: options.providerNamespace,
    apiVersion: options.apiVersion,
  };
}

/** A URL that the operator may send a credential to. Throws `CodedError` `endpoint-invalid`, without the URL in it. */
export function parseOutboundUrl(text: string, name: string, allowHttp: boolean): URL {
  const url = URL.parse(text);
  if (url === null || url.hostname === '') throw invalid(`The ${name} is not a URL.`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw invalid(`The ${name} must start with https://.`);
  if (url.protocol === 'http:' && !allowHttp) {
    throw invalid(`The ${name} must start with https://; plain http needs the operator's --allow-http.`);
  }
  if (url.username !== '' || url.password !== '') throw invalid(`The ${name} must not hold a user name or password.`);
  if (url.hash !== '' || text.includes('#')) throw invalid(`The ${name} must not have a fragment.`);
  return url;
}

/** Path of the list of a scope (section 4.1), without the query. Throws `service-rejected` for an impossible scope. */
export function listPath(endpoint: Endpoint, scope: string): string {
  const segments = scope.split('/');
  if (!segments.every(isSafeSegment)) {
    throw new CodedError('service-rejected', 'The scope has a segment that cannot stand in a path.');
  }
  const provider = encodeURIComponent(endpoint.providerNamespace);
  const encodedScope = segments.map(encodeURIComponent).join('/');
  return `${endpoint.pathPrefix}/${encodedScope}/providers/${provider}/roleManagementAlerts`;
}

/** Path of one alert (section 4.2). Throws `alert-refused` when the name cannot be a segment. */
export function alertPath(endpoint: Endpoint, scope: string, alertName: string): string {
  if (!isSafeSegment(alertName)) {
    throw new CodedError('alert-refused', 'The alert has a name that cannot stand in a path.');
  }
  return `${listPath(endpoint, scope)}/${encodeURIComponent(alertName)}`;
}

/** The query that every request carries (section 9), with its question mark. */
export function versionQuery(endpoint: Endpoint): string {
  return `?api-version=${encodeURIComponent(endpoint.apiVersion)}`;
}

/** Dots alone would climb, lone surrogates cannot be encoded, and an encoded slash is decoded by many a proxy. */
function isSafeSegment(segment: string): boolean {
  return !/^\.{0,2}$/.test(segment) && segment.isWellFormed() && !/[\u0000-\u001f\u007f/\\]/.test(segment);
}

function invalid(message: string): CodedError {
  return new CodedError('endpoint-invalid', message);
}
