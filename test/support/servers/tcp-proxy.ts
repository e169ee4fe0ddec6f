// A TCP proxy with faults: passes bytes between a client and a server, on demand late, in small pieces, not at all, or
// with a reset. It understands nothing of what it passes, so TLS goes through untouched. Live connections change with it.
import { createServer, type AddressInfo, type Socket, connect } from 'node:net';

/** `half-open`: what the client sends arrives, and nothing comes back. `black-hole`: nothing passes. `reset`: every connection is cut. */
export const tcpModes = ['pass', 'late', 'sliced', 'half-open', 'black-hole', 'reset'] as const;
export type TcpMode = (typeof tcpModes)[number];

export interface TcpProxy {
  readonly host: string;
  readonly port: number;
  mode: TcpMode;
  stop(): Promise<void>;
}

const lateMs = 300;
const sliceBytes = 7;

/** `target` is asked at every new connection. */
export async function startTcpProxy(target: () => { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let mode: TcpMode = 'pass';
  const keep = (socket: Socket) => {
    sockets.add(socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket)));
  };
  const server = createServer((client) => {
    keep(client);
    if (mode === 'reset') {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(target());
    keep(upstream);
    pass(client, upstream, () => mode !== 'black-hole');
    pass(upstream, client, () => mode !== 'black-hole' && mode !== 'half-open');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  function pass(from: Socket, to: Socket, isOpen: () => boolean): void {
    let last = Promise.resolve();
    from.on('data', (chunk: Buffer) => {
      last = last.then(async () => {
        if (isOpen()) await deliver(to, chunk);
      });
    });
    from.once('close', () => void last.then(() => to.destroy()));
    from.once('end', () => void last.then(() => to.end()));
  }

  async function deliver(to: Socket, chunk: Buffer): Promise<void> {
    if (mode === 'late') await wait(lateMs);
    const step = mode === 'sliced' ? Math.max(sliceBytes, Math.ceil(chunk.length / 50)) : chunk.length;
    for (let at = 0; at < chunk.length; at += step) {
      if (to.writable) to.write(chunk.subarray(at, at + step));
      if (step < chunk.length) await wait(1);
    }
  }

  return {
    host: '127.0.0.1',
    port,
    get mode() {
      return mode;
    },
    set mode(next) {
      mode = next;
      if (next === 'reset') for (const socket of sockets) socket.resetAndDestroy();
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
