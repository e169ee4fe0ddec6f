// Listening and stopping, the same for the alerts service, the probes and the metrics. Routing is the caller's.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { OperatorError } from './errors.ts';

/** A bound address: `host` may be empty in the text form (`:8080`), which means every interface. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Reads `HOST:PORT`, `:PORT` or `[IPV6]:PORT`; `undefined` when it is none of them. Port 0 picks a free one. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):([0-9]{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) return undefined;
  return { host: match[1] ?? match[2] ?? '', port };
}

export interface RunningServer {
  /** `http://HOST:PORT` with the real port. */
  readonly url: string;
  readonly port: number;
  /** Stops accepting, lets running requests finish for `graceMs`, then cuts them off. Repetition is harmless. */
  stop(graceMs?: number): Promise<void>;
}

export interface ServerLimits {
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  readonly maxHeaderBytes?: number;
}

/** Starts to listen. Throws `OperatorError` `local` when the address is taken or not ours. */
export async function startHttpServer(
  address: ListenAddress,
  listener: RequestListener,
  limits: ServerLimits = {},
): Promise<RunningServer> {
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs ?? 10_000,
      requestTimeout: limits.requestTimeoutMs ?? 30_000,
      maxHeaderSize: limits.maxHeaderBytes ?? 16_384,
    },
    listener,
  );
  await listen(server, address);
  const { port } = server.address() as AddressInfo;
  const host = address.host === '' ? '127.0.0.1' : address.host;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  let stopping: Promise<void> | undefined;
  return { url, port, stop: (graceMs = 1000) => (stopping ??= close(server, graceMs)) };
}

function listen(server: Server, address: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new OperatorError('local', `Cannot listen on ${address.host}:${address.port}`, { cause }));
    });
    const bound = () => resolve();
    if (address.host === '') server.listen(address.port, bound);
    else server.listen(address.port, address.host, bound);
  });
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
