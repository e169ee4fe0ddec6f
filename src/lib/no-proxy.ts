// The hosts that are reached without a proxy: the entries of NO_PROXY, read as Go's httpproxy reads them.
import { isIP } from 'node:net';

import { parseHostPattern } from './host-pattern.ts';
import { createNetworkTest, isNetwork, parseAddress } from './ip-address.ts';

/** True when requests to this host and port go directly. `host` is canonical: lower case, punycode, IPv6 without brackets. */
export type DirectTest = (host: string, port: number) => boolean;

/**
 * Entries separated by commas: `*` for every host, an address, a network such as `10.0.0.0/8`, a name, which includes every name below
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
