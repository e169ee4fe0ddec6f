// An HTTP proxy that opens tunnels (CONNECT), all of them to one server whatever host they ask for, and keeps every byte that clients
// send to it.
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface ConnectProxy extends AsyncDisposable {
  readonly port: number;
  /** Host and port of each request for a tunnel. */
  readonly asked: readonly string[];
  /** The header `proxy-authorization` of the last one. */
  readonly authorization: () => string | undefined;
  /** Everything that clients sent, one character for each byte; with TLS, what was inside it. */
  readonly received: () => string;
  /** Method and target of every request that is not for a tunnel. */
  readonly others: readonly string[];
  readonly openSockets: () => number;
  stop(): Promise<void>;
}

export interface ConnectProxyOptions {
  /** Port of the server behind every tunnel, on loopback. */
  readonly targetPort?: number;
  /** Writes this instead of opening a tunnel; the empty text is no answer at all. */
  readonly answer?: string;
  readonly tls?: ServerOptions;
}

export async function startConnectProxy(options: ConnectProxyOptions): Promise<ConnectProxy> {
  const { targetPort = 0, answer, tls } = options;
  const sockets = new Set<Duplex>();
  const asked: string[] = [];
  const others: string[] = [];
  let bytes = '';
  let authorization: string | undefined;
  const keep = (socket: Duplex) => {
    sockets.add(socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket)));
  };
  const record = (socket: Socket) => {
    keep(socket);
    socket.on('data', (chunk: Buffer) => (bytes += chunk.toString('latin1')));
  };
  const openTunnel = (request: IncomingMessage, client: Duplex, head: Buffer) => {
    keep(client);
    asked.push(request.url ?? '');
    authorization = request.headers['proxy-authorization'];
    if (answer !== undefined) {
      client.once('end', () => client.destroy()).resume();
      client.write(answer);
      return;
    }
    const upstream = connect(targetPort, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      client.pipe(upstream).pipe(client);
    });
    keep(upstream);
  };
  const server = tls ? createTlsServer(tls) : createServer();
  server.on('connect', openTunnel).on('request', (request, response) => {
    others.push(`${request.method} ${request.url}`);
    response.writeHead(400).end();
  });
  server.on(tls ? 'secureConnection' : 'connection', record);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  };
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    others,
    authorization: () => authorization,
    received: () => bytes,
    openSockets: () => sockets.size,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
