// The proxies of outbound requests, and which of them a request uses. Only the environment of the process names them.
import { isIP } from 'node:net';

import { parseHostPattern } from './host-pattern.ts';
import { createNetworkTest, isLoopback, isNetwork, parseAddress } from './ip-address.ts';
import { SecretText } from './secret-text.ts';

export interface Proxy {
  /** Scheme, host and port, without user and password. */
  readonly origin: string;
  /** Host and port, for messages. */
  readonly name: string;
  /** The header `proxy-authorization`; undefined when the URL has no user. */
  readonly authorization: SecretText | undefined;
}

export interface Proxies {
  /** For `https://` URLs. */
  readonly https: Proxy | undefined;
  /** For `http://` URLs. */
  readonly http: Proxy | undefined;
  readonly isDirect: DirectTest;
}

/** The parts of a URL that decide. `port` is empty for the default of the protocol. */
export type ProxiedTarget = Pick<URL, 'protocol' | 'hostname' | 'port'>;

/** `http://HOST:PORT`, `https://HOST:PORT`, with or without user and password, or `HOST:PORT`; undefined for any other text. */
export function parseProxy(text: string): Proxy | undefined {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.hostname === '' || url.pathname !== '/' || url.search !== '' || url.hash !== '') return undefined;
  try {
    return { origin: url.origin, name: `${url.hostname}:${portOf(url)}`, authorization: authorizationOf(url) };
  } catch {
    // Malformed percent-encoding in the user or the password.
    return undefined;
  }
}

/** The proxy for a request to this target. Undefined: it goes directly, as requests to this machine always do. */
export function proxyFor({ https, http, isDirect }: Proxies, target: ProxiedTarget): Proxy | undefined {
  const proxy = target.protocol === 'https:' ? https : http;
  if (proxy === undefined) return undefined;
  const host = target.hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
  return isLoopback({ host }) || isDirect(host, portOf(target)) ? undefined : proxy;
}

/** The port of the target, which a URL omits when it is the default. */
export function portOf({ protocol, port }: Pick<URL, 'protocol' | 'port'>): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

function authorizationOf({ username, password }: URL): SecretText | undefined {
  if (username === '' && password === '') return undefined;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return new SecretText(`Basic ${Buffer.from(pair).toString('base64')}`);
}

/** True when requests to this host and port go directly. `host` is canonical: lower case, punycode, IPv6 without brackets. */
type DirectTest = (host: string, port: number) => boolean;

/**
 * The hosts that are reached without a proxy: the entries of NO_PROXY, read as Go's httpproxy reads them. Entries separated by commas: `*` for every host, an address, a network such as `10.0.0.0/8`, a name, which includes every name below
 * it, or `.name` or `*.name`, which are the names below it only. A name or an address may have a port. Ignores any other entry.
 */
export function parseNoProxy(text: string): DirectTest {
  const entries = text.split(',').map((entry) => entry.trim().toLowerCase());
  const tests = entries.map(parseEntry).filter((test) => test !== undefined);
  return (host, port) => tests.some((isDirect) => isDirect(host, port));
}

function parseEntry(entry: string): DirectTest | undefined {
  if (entry === '*') return () => true;
  if (entry.includes('/')) return isNetwork(entry) ? createNetworkTest([entry]) : undefined;
  const [, bracketed, name, digits] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const isHost = hostTest(bracketed ?? name ?? entry);
  if (digits === undefined || isHost === undefined) return isHost;
  return (host, port) => port === Number(digits) && isHost(host);
}

function hostTest(text: string): ((host: string) => boolean) | undefined {
  if (isIP(text) !== 0) {
    const address = parseAddress(text);
    return (host) => parseAddress(host) === address;
  }
  const name = parseHostPattern(text.replace(/^\*?\./, ''));
  if (name === undefined) return undefined;
  const includesItself = /^[^*.]/.test(text);
  return (host) => host.endsWith(`.${name}`) || (includesItself && host === name);
}
