// Addresses to listen on, as options give them.
import { isIP } from 'node:net';

/** An address to listen on. An empty `host`, as in `:8080`, means every interface. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Parses `HOST:PORT`, `:PORT` or `[IPV6]:PORT`; `undefined` for any other text. Port 0 picks a free port. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):([0-9]{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) return undefined;
  return { host: match[1] ?? match[2] ?? '', port };
}

/** The text that `parseListenAddress` reads. */
export function formatListenAddress({ host, port }: ListenAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Where a client on the same machine reaches a server that listens on `host`. */
export function reachableHost(host: string): string {
  if (!isEveryInterface(host)) return host;
  return isIP(host) === 6 ? '::1' : '127.0.0.1';
}

/** True for an unspecified address, which a server can listen on and a client cannot connect to. */
export function isEveryInterface(host: string): boolean {
  return host === '' || (isIP(host) !== 0 && /^[0:.]+$/.test(host));
}
