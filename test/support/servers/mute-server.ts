// A server that takes connections and never answers.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

import { onTestFinished } from 'vitest';

export interface MuteServer {
  readonly url: string;
  /** The number of connections so far. */
  readonly connections: () => number;
}

/** Stops when the test ends. */
export async function startMuteServer(): Promise<MuteServer> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections: () => connections };
}

/** A kubeconfig as text whose only context is the server at that URL. */
export function kubeconfigText(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server } }],
    users: [{ name: 'test', user: {} }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  });
}
