// One address for several servers: passes each new connection to the next server that accepts it.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface RoundRobin {
  readonly url: string;
  /** Connections that each server received, in the order of `urls`. */
  readonly connections: readonly number[];
  stop(): Promise<void>;
}

export async function startRoundRobin(urls: readonly string[]): Promise<RoundRobin> {
  const connections = urls.map(() => 0);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) =>
    sockets.add(socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket)));
  let next = 0;

  const pass = (client: Socket, attempts: number) => {
    const index = next++ % urls.length;
    const { hostname: host, port } = new URL(urls[index] ?? '');
    const server = connect({ host, port: Number(port) });
    let isOpen = false;
    server.once('connect', () => {
      isOpen = true;
      connections[index] = (connections[index] ?? 0) + 1;
      client.pipe(server);
      server.pipe(client);
    });
    server.once('close', () => {
      if (isOpen || attempts >= urls.length) client.destroy();
      else pass(client, attempts + 1);
    });
    client.once('close', () => server.destroy());
    keep(server);
  };

  const listener = createServer((client) => {
    keep(client);
    pass(client, 1);
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    connections,
    async stop() {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}
