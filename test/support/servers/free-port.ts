// A port for a program that prints none, or whose port must be known before it starts.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Of 127.0.0.1. Another program may take it before it is used. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
