// A TCP proxy in front of a server: counts connections and reports the bytes that clients send, without
// interpreting them. TLS passes through unseen.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface SocketTap {
  readonly port: number;
  /** Connections that were ever opened through it. */
  readonly connections: number;
  /** Called with what a client sends, before it is passed on. */
  onSent: (chunk: Buffer) => void;
  stop(): Promise<void>;
}

export async function startSocketTap(targetPort: number): Promise<SocketTap> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket.setNoDelay(true));
    socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    connections += 1;
    const target = connect(targetPort, '127.0.0.1');
    keep(client);
    keep(target);
    client.on('data', (chunk: Buffer) => tap.onSent(chunk));
    client.pipe(target).pipe(client);
    client.once('close', () => target.destroy());
    target.once('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const tap: SocketTap = {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    onSent: () => undefined,
    async stop() {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return tap;
}
