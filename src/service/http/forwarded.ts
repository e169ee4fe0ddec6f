// The headers in which proxies report the request that they received: Forwarded (RFC 7239) and X-Forwarded-For, -Proto and -Host.
// Each proxy appends a hop, so the last one is that of the nearest proxy. The parsers read any text and never throw.
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

/** The hops of the Forwarded header; undefined without one. */
export function forwardedHops(headers: IncomingHttpHeaders): readonly Hop[] | undefined {
  const text = stringOf(headers['forwarded']);
  return text === undefined ? undefined : splitOutsideQuotes(text, ',').map(parseElement);
}

function parseElement(element: string): Hop {
  const pairs = new Map<string, string>();
  for (const pair of splitOutsideQuotes(element, ';')) {
    // Trimmed beforehand: white space at the end of a pattern takes quadratic time, and clients can send 16 KiB of it.
    const [, name, quoted, plain] = parameter.exec(pair.trim()) ?? [];
    // A repeated or malformed parameter makes the whole element unreliable.
    if (name === undefined || pairs.has(name.toLowerCase())) return {};
    pairs.set(name.toLowerCase(), plain ?? unescaped(quoted));
  }
  return hopOf({ from: pairs.get('for'), scheme: pairs.get('proto'), host: pairs.get('host') });
}

/**
 * A quoted value must end at the end of the parameter. Otherwise a client could open a quote, so that what the proxy appends would belong to
 * the element of the client: `for=6.6.6.6;by=", for=192.0.2.9`. Plain values may have characters that RFC 7239 wants quoted, such as a colon.
 */
const parameter = /^([a-z0-9!#$%&'*+.^_`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^"\\\s]+))$/i;

function unescaped(quoted = ''): string {
  return quoted.replaceAll(/\\(.)/g, '$1');
}

/** Splits a list whose items may contain quoted strings. */
function splitOutsideQuotes(text: string, separator: ',' | ';'): readonly string[] {
  const parts: string[] = [];
  let begin = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') isQuoted = !isQuoted;
    else if (character === '\\' && isQuoted) index += 1;
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(begin, index));
      begin = index + 1;
    }
  }
  return [...parts, text.slice(begin)];
}

/** The hops of the headers X-Forwarded-*; undefined without any of them. */
export function xForwardedHops(headers: IncomingHttpHeaders): readonly Hop[] | undefined {
  const froms = listOf(headers['x-forwarded-for']);
  const schemes = listOf(headers['x-forwarded-proto']);
  const hosts = listOf(headers['x-forwarded-host']);
  const length = Math.max(froms.length, Math.min(schemes.length + hosts.length, 1));
  if (length === 0) return undefined;
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
