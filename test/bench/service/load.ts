// Load: several connections, each of which sends its next request after the response, at once or at the time that a rate gives it. It writes to raw sockets and reads
// no more of a response than its length, so that the client costs less than the servers and does not hide their differences.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import type { Measure } from '../compare.ts';

export interface Sent {
  readonly method: 'GET' | 'PATCH';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Load {
  readonly requestsPerSecond: number;
  /** The 50th and 99th percentile, in milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Throughput and latency, for a comparison of sides. */
export const loadMeasures: readonly Measure<Load>[] = [
  { name: 'throughput', unit: '/s', digits: 0, of: (one) => one.requestsPerSecond },
  { name: 'half within', unit: 'ms', digits: 2, of: (one) => one.p50Ms },
  { name: '99 of 100 within', unit: 'ms', digits: 2, of: (one) => one.p99Ms },
];

const connections = 32;

/**
 * `urls` share the connections. Throws for a response with another status than `status`. With `requestsPerSecond` each request is
 * due at its own time, whether or not earlier ones have a response, and its latency counts from then on: the latency of servers
 * with different throughput can only be compared at one rate.
 */
export async function load(
  urls: string | readonly string[],
  count: number,
  status: number,
  next: (index: number) => Sent,
  requestsPerSecond = Infinity,
): Promise<Load> {
  const tookMs = new Float64Array(count);
  let begun = 0;
  const work = async (_: unknown, worker: number) => {
    const url = [urls].flat()[worker % [urls].flat().length] ?? '';
    const connection = await openConnection(url);
    for (let index = begun++; index < count; index = begun++) {
      const dueMs = firstMs + (index * 1000) / requestsPerSecond;
      while (performance.now() < dueMs) await oneTurn();
      const startMs = requestsPerSecond === Infinity ? performance.now() : dueMs;
      const answered = await connection.send(next(index));
      if (answered !== status) throw new Error(`${url} answered ${answered}`);
      tookMs[index] = performance.now() - startMs;
    }
    connection.close();
  };
  const firstMs = performance.now();
  const rest = stayAwake();
  await Promise.all(Array.from({ length: connections }, work));
  rest();
  const seconds = (performance.now() - firstMs) / 1000;
  tookMs.sort();
  const rank = (share: number) => tookMs[Math.floor(count * share)] ?? 0;
  return { requestsPerSecond: count / seconds, p50Ms: rank(0.5), p99Ms: rank(0.99) };
}

const oneTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

/**
 * Keeps this process from sleeping until the returned function is called: the kernel charges the wake-up of a sleeping reader to the
 * writer, which would make a server seem slower the longer its client waits for it.
 */
function stayAwake(): () => void {
  let isOver = false;
  const turn = () => {
    if (!isOver) setImmediate(turn);
  };
  turn();
  return () => {
    isOver = true;
  };
}

interface Connection {
  /** Resolves with the status, once the whole response has arrived. */
  send(sent: Sent): Promise<number>;
  close(): void;
}

async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  const waiting = readResponses(socket);
  return {
    send(sent) {
      return new Promise((resolve, reject) => {
        waiting.resolve = resolve;
        waiting.reject = reject;
        socket.write(requestText(sent), 'latin1');
      });
    },
    close: () => socket.destroy(),
  };
}

interface Waiting {
  resolve(status: number): void;
  reject(error: Error): void;
}

/** Each response has a Content-Length or no body. */
function readResponses(socket: Socket): Waiting {
  const waiting: Waiting = { resolve: () => undefined, reject: () => undefined };
  let head = '';
  let earlierBytes = 0;
  let status = 0;
  let missingBytes = 0;
  socket.on('data', (chunk: Buffer) => {
    if (missingBytes === 0) {
      head += chunk.toString('latin1', 0, headLimitBytes);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) {
        earlierBytes += chunk.length;
        return;
      }
      status = Number(head.slice(9, 12));
      // Of this chunk: earlier ones held the beginning of the head.
      missingBytes = end + 4 + lengthIn(head.slice(0, end)) - earlierBytes;
      head = '';
      earlierBytes = 0;
    }
    missingBytes -= chunk.length;
    if (missingBytes === 0) waiting.resolve(status);
  });
  socket.on('error', (error) => waiting.reject(error));
  socket.on('close', () => waiting.reject(new Error('the server closed the connection')));
  return waiting;
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
