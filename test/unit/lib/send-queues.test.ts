// What the tables of TCP connections say of their send queues.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { deliveredIn, queueKey, readDelivered } from '../../../src/lib/send-queues.ts';

const line = (ports: string, state: string, queue: string, timeout: number) => {
  const [local, remote] = ports.split(' ');
  return `   7: 0100007F:${local} 0100007F:${remote} ${state} ${queue}:00000000 04:00001271 00000000     0        0 1389458 2 0000000019bbbc39 ${timeout} 4 30 12 -1                        \n`;
};

const head =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode                                                     \n';

test.each([
  ['an empty queue', line('1F90 AD28', '01', '00000000', 20), ['8080 44328']],
  ['bytes in the queue', line('1F90 AD28', '01', '00000001', 20), []],
  ['a connection that ends', line('1F90 AD28', '04', '00000000', 20), []],
  ['a system that writes 0 for all', line('1F90 AD28', '01', '00000000', 0), []],
  [
    'two connections of the same ports, one of them with bytes',
    line('1F90 AD28', '01', '00000000', 20) + line('1F90 AD28', '01', '00000001', 20),
    [],
  ],
  [
    'IPv6',
    line('1F90 AD28', '01', '00000000', 20).replaceAll('0100007F', '0000000000000000FFFF00000100007F'),
    ['8080 44328'],
  ],
])('%s', (_, lines, delivered) => {
  expect([...deliveredIn(head + lines)]).toEqual(delivered);
});

test.skipIf(!existsSync('/proc/net/tcp'))('a connection has delivered all once its client has read', async () => {
  const accepted = Promise.withResolvers<Socket>();
  const server = createServer(accepted.resolve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  const socket = await accepted.promise;
  onTestFinished(() => {
    client.destroy();
    socket.destroy();
    server.close();
  });
  const key = queueKey(socket);
  const isDelivered = async () => (await readDelivered())?.has(key);
  await expect.poll(isDelivered).toBe(true);
  // More than the buffers of both ends hold.
  socket.write(Buffer.alloc(64 * 1024 * 1024));
  await expect.poll(isDelivered).toBe(false);
  client.resume();
  await expect.poll(isDelivered).toBe(true);
});
