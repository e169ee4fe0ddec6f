// Unless private endpoints are allowed, requests may reach public addresses only. A tenant writes the connection, and
// the operator runs inside the cluster's network: without this check it would be a proxy into that network.
import { BlockList, isIP } from 'node:net';

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

/** True for an address of the public internet. False for everything else, including text that is no address. */
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
