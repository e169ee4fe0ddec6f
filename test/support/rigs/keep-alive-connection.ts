// Requests one after another on one connection, each written byte by byte: a client of a library might open another connection, or change
// the headers.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import { parseAnswer, type RawAnswer } from './raw-http.ts';

export interface KeepAliveConnection {
  /** `head`: the request line and the headers, without line ends. Rejects when the server closes the connection instead of responding. */
  readonly ask: (...head: readonly string[]) => Promise<RawAnswer>;
  readonly close: () => void;
}

export async function openConnection(url: string): Promise<KeepAliveConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return {
    ask(...head) {
      socket.write(head.map((line) => `${line}\r\n`).join('') + '\r\n', 'latin1');
      return readAnswer(socket, head[0]?.startsWith('HEAD ') === true);
    },
    close: () => socket.destroy(),
  };
}

async function readAnswer(socket: Socket, isHead: boolean): Promise<RawAnswer> {
  let received = '';
  while (!isWhole(received, isHead)) {
    const [chunk] = (await Promise.race([once(socket, 'data'), closed(socket)])) as [Buffer];
    received += chunk.toString('latin1');
  }
  return parseAnswer(received);
}

async function closed(socket: Socket): Promise<never> {
  await once(socket, 'close');
  throw new Error('The server closed the connection.');
}

function isWhole(received: string, isHead: boolean): boolean {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = isHead ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(received.slice(0, end))?.[1] ?? 0);
  return received.length >= end + 4 + length;
}
