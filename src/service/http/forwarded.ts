// The headers in which proxies report the request that they received: X-Forwarded-For, -Proto and -Host. Each proxy appends a hop, so the
// last one is that of the nearest proxy. The parsers read any text and never throw.
import type { IncomingHttpHeaders } from 'node:http';

import { parseAddress } from '../../lib/ip-address.ts';
import { stringOf } from '../../lib/json-shape.ts';
import type { ServiceRequest } from './message.ts';

/** One request on its way, as the proxy that received it reports it. Members that it does not report, or not validly, are absent. */
export interface Hop {
  /** The address that the proxy received the request from, in its canonical spelling. */
  readonly from?: string;
  readonly scheme?: ServiceRequest['scheme'];
  readonly host?: string;
}

/** A host with or without a port, as in a Host header. */
export function isHost(text: string): boolean {
  const [host, port = ''] = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{0,5}))?$/.exec(text) ?? [];
  return host !== undefined && Number(port) <= 65_535;
}

/** The hops of the headers; empty without any of them. */
export function forwardedHops(headers: IncomingHttpHeaders): readonly Hop[] {
  const froms = listOf(headers['x-forwarded-for']);
  const schemes = listOf(headers['x-forwarded-proto']);
  const hosts = listOf(headers['x-forwarded-host']);
  const length = Math.max(froms.length, Math.min(schemes.length + hosts.length, 1));
  return Array.from({ length }, (_, index) => {
    const fromEnd = length - 1 - index;
    return hopOf({ from: froms[index], scheme: itemAt(schemes, fromEnd), host: itemAt(hosts, fromEnd) });
  });
}

function listOf(header: string | string[] | undefined): readonly string[] {
  return (stringOf(header) ?? '').split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
}

/** The item of the same hop. Many proxies replace these two headers instead of appending to them; then the first item is the client's. */
function itemAt(items: readonly string[], fromEnd: number): string | undefined {
  return items.at(-1 - fromEnd) ?? items[0];
}

interface ReportedHop {
  readonly from: string | undefined;
  readonly scheme: string | undefined;
  readonly host: string | undefined;
}

function hopOf({ from, scheme, host }: ReportedHop): Hop {
  const address = from === undefined ? undefined : nodeAddress(from);
  const lowerScheme = scheme?.toLowerCase();
  return {
    ...(address !== undefined && { from: address }),
    ...((lowerScheme === 'http' || lowerScheme === 'https') && { scheme: lowerScheme }),
    ...(host !== undefined && isHost(host) && { host }),
  };
}

/** The address of a node with or without a port: `192.0.2.1:80`, `[2001:db8::1]:80`. Undefined for `unknown` and other names. */
function nodeAddress(node: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([0-9.]+))(?::[0-9]{1,5})?$/.exec(node) ?? [];
  return parseAddress(bracketed ?? plain ?? node);
}
