// Where a request comes from: the address of the client, and the scheme and host that it used. The socket says so, or, for a request
// from a trusted proxy, the headers that the proxy adds.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import { createNetworkTest, parseAddress } from '../../lib/ip-address.ts';
import { forwardedHops, type Hop } from './forwarded.ts';
import type { ServiceRequest } from './message.ts';

/** What the limits, the access log and the links use. */
export type RequestSource = Pick<ServiceRequest, 'clientAddress' | 'scheme' | 'forwardedHost'>;

export interface SourceOptions {
  /** The scheme of the listening socket. */
  readonly scheme: ServiceRequest['scheme'];
  /** Addresses and networks of the proxies whose headers count. Absent or empty: no headers count. */
  readonly trustedProxies?: readonly string[] | undefined;
}

export type SourceOf = (incoming: Pick<IncomingMessage, 'headers' | 'socket'>) => RequestSource;

export function createSourceOf({ scheme, trustedProxies = [] }: SourceOptions): SourceOf {
  const isTrusted = trustedProxies.length > 0 ? createNetworkTest(trustedProxies) : () => false;
  const peerOf = rememberPeers();
  return ({ headers, socket }) => {
    const peer = peerOf(socket);
    if (peer === undefined || !isTrusted(peer)) return { clientAddress: peer, scheme };
    const { client, hop } = outermost(forwardedHops(headers), peer, isTrusted);
    const { host } = hop;
    return { clientAddress: client, scheme: hop.scheme ?? scheme, ...(host !== undefined && { forwardedHost: host }) };
  };
}

/** Parses the address of a connection once, not for each of its requests. */
function rememberPeers(): (socket: Socket) => string | undefined {
  const known = new WeakMap<Socket, string>();
  return (socket) => {
    const earlier = known.get(socket);
    if (earlier !== undefined) return earlier;
    const peer = addressOf(socket.remoteAddress);
    if (peer !== undefined) known.set(socket, peer);
    return peer;
  };
}

function addressOf(remoteAddress: string | undefined): string | undefined {
  return remoteAddress === undefined ? undefined : (parseAddress(remoteAddress) ?? remoteAddress);
}

interface Client {
  readonly client: string;
  /** The request of the client, as the outermost trusted proxy reports it. */
  readonly hop: Hop;
}

/** Follows the hops from the nearest one as long as a trusted proxy reports them: the last address is not trusted, or there is no more. */
function outermost(hops: readonly Hop[], peer: string, isTrusted: (address: string) => boolean): Client {
  let found: Client = { client: peer, hop: {} };
  for (const hop of hops.toReversed()) {
    found = { client: hop.from ?? found.client, hop };
    if (hop.from === undefined || !isTrusted(hop.from)) return found;
  }
  return found;
}
