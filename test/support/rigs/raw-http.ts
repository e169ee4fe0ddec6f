// Requests one after another on one connection, each written byte by byte: a client of a library might open another connection, or change
// the headers.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

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

/** Everything that comes back to `sent` until the connection ends. */
export function answerTo(url: string, sent: string | Uint8Array): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(sent);
  return text(socket);
}

export function parseAnswer(answer: string): RawAnswer {
  const end = answer.indexOf('\r\n\r\n');
  const [first = '', ...lines] = answer.slice(0, Math.max(end, 0)).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  if (!(status > 0)) throw new Error(`This is no answer: ${answer.slice(0, 200)}`);
  const headers = lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.replace(/^[^:]*:\s*/, '')]);
  return {
    status,
    headers: Object.fromEntries(headers) as Record<string, string>,
    text: Buffer.from(answer.slice(end + 4), 'latin1').toString('utf8'),
  };
}
