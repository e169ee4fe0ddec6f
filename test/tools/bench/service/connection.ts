// A client's connection: writes requests to a raw socket and reads no more of a response than its length, all of them into one buffer, so
// that the client costs less than the servers and neither its own work nor its garbage hides their differences.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Sent {
  readonly method: 'GET' | 'PATCH';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Connects anew after a response that ends its connection, as the service's does after 16 MiB. */
export interface Connection {
  readonly url: string;
  /** Resolves with the status, once the whole response has arrived. */
  send(sent: Sent): Promise<number>;
  close(): void;
}

/** The bytes of a response that a connection has read are not needed any more when another one reads. */
const buffer = Buffer.allocUnsafe(256 * 1024);

export async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const waiting: Waiting = { resolve: () => undefined, reject: () => undefined };
  let socket: Socket | undefined;
  const open = async (): Promise<Socket> => {
    const read = responseReader((status, isLast) => {
      if (isLast) close();
      waiting.resolve(status);
    });
    const onread = { buffer, callback: (length: number) => read(buffer.subarray(0, length)) };
    const opened = connect({ host: hostname, port: Number(port), noDelay: true, onread });
    await once(opened, 'connect');
    opened.on('error', (error) => waiting.reject(error));
    opened.on('close', () => {
      if (opened === socket) waiting.reject(new Error('the server closed the connection'));
    });
    return (socket = opened);
  };
  const close = () => {
    const closed = socket;
    socket = undefined;
    closed?.destroy();
  };
  const sendOn = (opened: Socket, sent: Sent) =>
    new Promise<number>((resolve, reject) => {
      waiting.resolve = resolve;
      waiting.reject = reject;
      opened.write(requestText(sent), 'latin1');
    });
  await open();
  return {
    url,
    send: (sent) => (socket ? sendOn(socket, sent) : open().then((opened) => sendOn(opened, sent))),
    close,
  };
}

interface Waiting {
  resolve(status: number): void;
  reject(error: Error): void;
}

/** Calls `onResponse` for each whole response, which has a Content-Length or no body. Returns true: read on. */
function responseReader(onResponse: (status: number, isLast: boolean) => void): (chunk: Buffer) => true {
  let head = '';
  let earlierBytes = 0;
  let status = 0;
  let isLast = false;
  let missingBytes = 0;
  return (chunk) => {
    if (missingBytes === 0) {
      head += chunk.toString('latin1', 0, headLimitBytes);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) {
        earlierBytes += chunk.length;
        return true;
      }
      status = Number(head.slice(9, 12));
      isLast = /\r\nconnection: close\r\n/i.test(head);
      // Of this chunk: earlier ones held the beginning of the head.
      missingBytes = end + 4 + lengthIn(head.slice(0, end)) - earlierBytes;
      head = '';
      earlierBytes = 0;
    }
    missingBytes -= chunk.length;
    if (missingBytes === 0) onResponse(status, isLast);
    return true;
  };
}

/** No server of the bench sends more headers. */
const headLimitBytes = 1024;

function lengthIn(head: string): number {
  return Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
}

function requestText({ method, path, headers, body = '' }: Sent): string {
  let text = `${method} ${path} HTTP/1.1\r\nHost: bench\r\n`;
  for (const [name, value] of Object.entries(headers)) text += `${name}: ${value}\r\n`;
  return method === 'GET' ? `${text}\r\n` : `${text}content-length: ${body.length}\r\n\r\n${body}`;
}
