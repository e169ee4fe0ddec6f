// Closed-loop load: several connections, each of which sends its next request after the response.
import { Pool, type Dispatcher } from 'undici';

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

const connections = 32;

/** Throws for a response with another status than `status`. */
export async function load(url: string, count: number, status: number, next: (index: number) => Sent): Promise<Load> {
  const pool = new Pool(url, { connections });
  const tookMs = new Float64Array(count);
  let begun = 0;
  const work = async () => {
    for (let index = begun++; index < count; index = begun++) {
      const startMs = performance.now();
      const answered = await send(pool, next(index));
      if (answered !== status) throw new Error(`${url} answered ${answered}`);
      tookMs[index] = performance.now() - startMs;
    }
  };
  const startMs = performance.now();
  await Promise.all(Array.from({ length: connections }, work));
  const seconds = (performance.now() - startMs) / 1000;
  await pool.close();
  tookMs.sort();
  const rank = (share: number) => tookMs[Math.floor(count * share)] ?? 0;
  return { requestsPerSecond: count / seconds, p50Ms: rank(0.5), p99Ms: rank(0.99) };
}

/** Uses `dispatch`, so that the client's cost does not hide the servers'. */
function send(pool: Pool, { method, path, headers, body }: Sent): Promise<number> {
  return new Promise((resolve, reject) => {
    let status = 0;
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, statusCode) => {
        status = statusCode;
      },
      onResponseData: () => undefined,
      onResponseEnd: () => resolve(status),
      onResponseError: (_controller, error) => reject(error),
    };
    pool.dispatch({ method, path, headers, body: body ?? null }, handler);
  });
}
