// The service's address and its two paths (section 4). Pure: this file resolves no name and opens no socket; the transport
// checks addresses when it connects.
import { AlertsError } from '../../alerts/alerts-error.ts';
import { isHostAllowed } from '../../lib/host-pattern.ts';

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

/** Whose options the rules are, for messages. */
export type RulesOwner = 'the operator' | 'this command';

/** What the operator or a command allows of every URL that receives a credential. */
export interface UrlRules {
  /** Default: the operator. */
  readonly rulesOwner?: RulesOwner | undefined;
  readonly allowHttp: boolean;
  /** Patterns as `lib/host-pattern.ts` parses them. Empty: every host. */
  readonly allowedHosts: readonly string[];
}

/** Throws `AlertsError` `endpoint-invalid`. */
export function parseEndpoint(options: EndpointOptions, rules: UrlRules): Endpoint {
  const url = parseOutboundUrl(options.baseURL, 'base URL', rules);
  if (url.search !== '' || options.baseURL.includes('?')) throw invalid('The base URL must not have a query.');
  return {
    origin: url.origin,
    pathPrefix: url.pathname.replace(/\/+$/, ''),
    providerNamespace: options.providerNamespace,
    apiVersion: options.apiVersion,
  };
}

/**
 * Parses a URL that receives a credential. Throws `AlertsError` `endpoint-invalid`, reason `HostNotAllowed` when only its host is
 * refused. The message names the host at most, because the rest of the URL may hold a secret.
 */
export function parseOutboundUrl(text: string, name: string, rules: UrlRules): URL {
  const { allowHttp, allowedHosts, rulesOwner = 'the operator' } = rules;
  const url = URL.parse(text);
  if (url === null || url.hostname === '') throw invalid(`The ${name} is not a URL.`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw invalid(`The ${name} must start with https://.`);
  if (url.protocol === 'http:' && !allowHttp) {
    throw invalid(`The ${name} must start with https://; plain HTTP requires --allow-http on ${rulesOwner}.`);
  }
  if (url.username !== '' || url.password !== '')
    throw invalid(`The ${name} must not contain a user name or password.`);
  if (url.hash !== '' || text.includes('#')) throw invalid(`The ${name} must not have a fragment.`);
  if (!isHostAllowed(allowedHosts, url)) throw hostNotAllowed(url.hostname, name, rulesOwner);
  return url;
}

function hostNotAllowed(host: string, name: string, owner: RulesOwner): AlertsError {
  const message = `${owner === 'the operator' ? "The operator's" : "This command's"} option --allowed-hosts does not include ${host}, the host of the ${name}.`;
  return new AlertsError('endpoint-invalid', message, { reason: 'HostNotAllowed' });
}

/** Path of a scope's list (section 4.1), without the query. Throws `service-rejected` when a segment is not allowed in a path. */
export function listPath(endpoint: Endpoint, scope: string): string {
  const provider = encodeURIComponent(endpoint.providerNamespace);
  return `${endpoint.pathPrefix}/${encodeScope(scope)}/providers/${provider}/roleManagementAlerts`;
}

function encodeScope(scope: string): string {
  const segments = scope.split('/');
  if (!segments.every(isSafeSegment)) {
    throw new AlertsError('service-rejected', 'The scope has a segment that is not allowed in a path.');
  }
  return segments.map(encodeURIComponent).join('/');
}

/** Path of one alert (section 4.2). Throws `alert-refused` when the name is not allowed in a path. */
export function alertPath(endpoint: Endpoint, scope: string, alertName: string): string {
  if (!isSafeSegment(alertName)) {
    throw new AlertsError('alert-refused', 'The alert has a name that is not allowed in a path.');
  }
  return `${listPath(endpoint, scope)}/${encodeURIComponent(alertName)}`;
}

/** The query of every request (section 9), with its question mark. */
export function versionQuery(endpoint: Endpoint): string {
  return `?api-version=${encodeURIComponent(endpoint.apiVersion)}`;
}

/** `.` and `..` allow path traversal, lone surrogates cannot be encoded, and many proxies decode `%2F`. */
function isSafeSegment(segment: string): boolean {
  return !/^\.{0,2}$/.test(segment) && segment.isWellFormed() && !/[\u0000-\u001f\u007f/\\]/.test(segment);
}

function invalid(message: string): AlertsError {
  return new AlertsError('endpoint-invalid', message);
}
