// The service's address and its two paths (section 4), and which hosts and addresses a connection may reach. Pure: this file resolves no
// name and opens no socket; the transport checks addresses when it connects.
import { BlockList, isIP } from 'node:net';

import { AlertsError } from '../../alerts/alerts-error.ts';
import { isHostAllowed } from '../../lib/host-pattern.ts';
import type { ConnectionEndpoint } from '../../policy/generated/role-alert-connection.ts';

/** Of the spec of a connection. The base URL is with or without a path, with or without a slash at its end. */
export type EndpointOptions = Omit<ConnectionEndpoint, 'caBundleRef'>;

export interface Endpoint extends Omit<EndpointOptions, 'baseURL'> {
  readonly origin: string;
  /** Before `/{scope}/providers/…`; starts with a slash unless it is empty. */
  readonly pathPrefix: string;
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
export function parseEndpoint({ baseURL, ...rest }: EndpointOptions, rules: UrlRules): Endpoint {
  const url = parseOutboundUrl(baseURL, 'base URL', rules);
  if (url.search !== '' || baseURL.includes('?')) throw invalid('The base URL must not have a query.');
  return { ...rest, origin: url.origin, pathPrefix: url.pathname.replace(/\/+$/, '') };
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

/** Address blocks of the IANA special-purpose registries, and one host agent outside them. */
const refusedIpv4: readonly (readonly [address: string, bits: number])[] = [
  ['0.0.0.0', 8], // this host
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT; a cloud's metadata service lives here
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // a cloud's host agent, in a public block
  ['169.254.0.0', 16], // link-local; the usual metadata address
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments; a cloud's metadata service lives here
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
];

const refusedIpv6: readonly (readonly [address: string, bits: number])[] = [
  ['::', 96], // unspecified, loopback, IPv4-compatible
  ['64:ff9b:1::', 48], // local NAT64
  ['100::', 64], // discard
  ['2001::', 23], // protocol assignments, Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: carries any IPv4 address
  ['3fff::', 20], // documentation
  ['5f00::', 16], // segment routing
  ['fc00::', 7], // unique local
  ['fe80::', 10], // link-local
  ['fec0::', 10], // site-local
  ['ff00::', 8], // multicast
];

/** 96-bit prefixes whose last 32 bits hold the IPv4 address that receives the packet. */
const ipv4Carriers = ['::ffff:', '64:ff9b::'];

const refused = buildBlockList();

function buildBlockList(): BlockList {
  const list = new BlockList();
  for (const [address, bits] of refusedIpv6) list.addSubnet(address, bits, 'ipv6');
  for (const [address, bits] of refusedIpv4) {
    list.addSubnet(address, bits, 'ipv4');
    for (const carrier of ipv4Carriers) list.addSubnet(`${carrier}${address}`, 96 + bits, 'ipv6');
  }
  return list;
}

/**
 * Unless private endpoints are allowed, requests may reach public addresses only. A tenant writes the connection, and the operator runs
 * inside the cluster's network: without this check it would be a proxy into that network. False for text that is no address.
 */
export function isPublicAddress(address: string): boolean {
  const [bare = ''] = address.split('%', 1);
  const family = isIP(bare);
  if (family === 0) return false;
  return !refused.check(bare, family === 4 ? 'ipv4' : 'ipv6');
}

/** Top-level domains that are reserved for private networks (RFC 6761, RFC 6762, ICANN 2024), and that of Services in a cluster. */
const privateDomains: ReadonlySet<string> = new Set(['localhost', 'local', 'internal', 'svc', 'arpa']);

/** True for a name that only a private network can resolve: one label, or a name in a domain that the public DNS does not have. */
export function isPrivateName(host: string): boolean {
  const labels = host.toLowerCase().replace(/\.$/, '').split('.');
  return labels.length === 1 || privateDomains.has(labels.at(-1) ?? '');
}
