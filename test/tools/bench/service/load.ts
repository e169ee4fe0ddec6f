// Load: several connections, each of which sends its next request after the response, at once or at the time that a rate gives it.
import { openConnection, type Connection, type Sent } from './connection.ts';
import { Pace } from './pace.ts';

export interface Load {
  readonly requestsPerSecond: number;
  /** The 99th percentile, in milliseconds. */
  readonly p99Ms: number;
}

const connections = 32;

/**
 * Throws for a response with another status than `status`. With `requestsPerSecond` each request is
 * due at its own time, whether or not earlier ones have a response, and its latency counts from then on: the latency of servers
 * with different throughput can only be compared at one rate.
 */
export async function load(
  url: string,
  count: number,
  status: number,
  next: (index: number) => Sent,
  requestsPerSecond = Infinity,
): Promise<Load> {
  const opened = await Promise.all(Array.from({ length: connections }, () => openConnection(url)));
  const tookMs = new Float64Array(count);
  const pace = new Pace(count, requestsPerSecond);
  const work = async (connection: Connection) => {
    for (let due = await pace.next(); due; due = await pace.next()) {
      const answered = await connection.send(next(due.index));
      if (answered !== status) throw new Error(`${connection.url} answered ${answered}`);
      tookMs[due.index] = performance.now() - due.sinceMs;
    }
    connection.close();
  };
  try {
    await Promise.all(opened.map(work));
  } finally {
    pace.stop();
  }
  const seconds = (performance.now() - pace.firstMs) / 1000;
  tookMs.sort();
  return { requestsPerSecond: count / seconds, p99Ms: tookMs[Math.floor(count * 0.99)] ?? 0 };
}
