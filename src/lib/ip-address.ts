// IP addresses as texts: one spelling for each address, the network that counts as one client, and lists of networks.
import { BlockList, isIP } from 'node:net';

const mappedPrefix = '::ffff:';

/**
 * The address in its canonical spelling; undefined for any other text. An IPv4-mapped IPv6 address becomes the IPv4 address, which is
 * the same peer. A zone (`%eth0`) is dropped.
 */
export function parseAddress(text: string): string | undefined {
  const kind = isIP(text);
  if (kind === 4) return text;
  if (kind === 0) return undefined;
  // What the system reports for IPv4 clients of a socket that also serves IPv6.
  if (text.startsWith(mappedPrefix) && isIP(text.slice(mappedPrefix.length)) === 4)
    return text.slice(mappedPrefix.length);
  const [address = ''] = text.split('%');
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  return mappedAddress(canonical) ?? canonical;
}

/** The IPv4 address that a canonical IPv6 address maps, as in `::ffff:c000:201`. */
function mappedAddress(canonical: string): string | undefined {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const bits = [high, low].map((digits) => Number.parseInt(digits, 16));
  return bits.flatMap((pair) => [pair >> 8, pair & 0xff]).join('.');
}

/** The addresses that count as one client: an IPv4 address alone, an IPv6 address with its /64. Takes any other text as it is. */
export function clientNetwork(address: string): string {
  const canonical = parseAddress(address) ?? address;
  return isIP(canonical) === 6 ? `${upperHalf(canonical)}::/64` : canonical;
}

/** The first four groups of a canonical IPv6 address. One client usually has all addresses that begin with them. */
function upperHalf(canonical: string): string {
  const [before = [], after] = canonical.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = after === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array<string>(zeros).fill('0'), ...(after ?? [])].slice(0, 4).join(':');
}

/** Whether the text is an address or a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== undefined;
}

interface Network {
  readonly address: string;
  /** Number of leading bits that all addresses of the network have in common. */
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

function parseNetwork(text: string): Network | undefined {
  const [, address = '', digits] = /^([^/%]+)(?:\/([0-9]{1,3}))?$/.exec(text) ?? [];
  const kind = isIP(address);
  if (kind === 0) return undefined;
  const bits = kind === 4 ? 32 : 128;
  const prefix = digits === undefined ? bits : Number(digits);
  return prefix <= bits ? { address, prefix, family: kind === 4 ? 'ipv4' : 'ipv6' } : undefined;
}

/** Tests whether a canonical address is in one of the networks. Takes texts that `isNetwork` accepts, and ignores others. */
export function createNetworkTest(texts: readonly string[]): (address: string) => boolean {
  const networks = new BlockList();
  for (const text of texts) {
    const network = parseNetwork(text);
    if (network) networks.addSubnet(network.address, network.prefix, network.family);
  }
  return (address) => {
    const kind = isIP(address);
    return kind !== 0 && networks.check(address, kind === 4 ? 'ipv4' : 'ipv6');
  };
}

/** Whether only programs of this machine can reach the host. */
export function isLoopback({ host }: { readonly host: string }): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.[0-9]{1,3}){3}$/.test(host);
}
