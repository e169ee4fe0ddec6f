// The HTTP servers of the manager: /livez and /readyz for the kubelet, /metrics for Prometheus. Ready means that the
// caches have synced and the process is not stopping; an outage of the service or the API server does not make it not
// ready.
import type { RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { Clock } from '../../lib/clock.ts';
import { type RunningServer, type ServerOptions, startHttpServer } from '../../lib/http-server.ts';
import type { ListenAddress } from '../../lib/listen-address.ts';

export interface Health {
  /** True while the watches keep trying. The response itself shows that the event loop runs. */
  readonly isLive: () => boolean;
  readonly isReady: () => boolean;
}

export interface Bindings {
  readonly probes: ListenAddress | undefined;
  readonly metrics: ListenAddress | undefined;
  /** Replaces `startHttpServer` in a simulation. */
  readonly startServer?: StartServer | undefined;
}

export type StartServer = (
  address: ListenAddress,
  listener: RequestListener,
  options: ServerOptions,
) => Promise<Pick<RunningServer, 'url' | 'stop'>>;

export interface Probes {
  /** Base URLs; undefined for a server that is disabled. */
  readonly probesURL: string | undefined;
  readonly metricsURL: string | undefined;
  stop(): Promise<void>;
}

/** The ports have no authentication, and a kubelet or a Prometheus needs one connection. */
const limits = { maxConnections: 128 };

/** The text of the metrics, in parts. */
type Scrape = () => Promise<Iterable<string>>;

/** Listens on the given addresses or, when one of them is in use, on none and rejects. */
export async function startProbes(bindings: Bindings, health: Health, scrape: Scrape, clock: Clock): Promise<Probes> {
  const { startServer = startHttpServer } = bindings;
  const probes = bindings.probes && (await startServer(bindings.probes, probeListener(health), limits));
  try {
    const metrics = bindings.metrics && (await startServer(bindings.metrics, metricsListener(scrape, clock), limits));
    return {
      probesURL: probes?.url,
      metricsURL: metrics?.url,
      async stop() {
        await Promise.all([probes?.stop(), metrics?.stop()]);
      },
    };
  } catch (error) {
    await probes?.stop();
    throw error;
  }
}

function probeListener(health: Health): RequestListener {
  return (request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/livez') answerProbe(response, health.isLive());
    else if (path === '/readyz') answerProbe(response, health.isReady());
    else answer(response, 404, 'not found\n');
  };
}

function answerProbe(response: ServerResponse, isGood: boolean): void {
  answer(response, isGood ? 200 : 503, isGood ? 'ok\n' : 'failed\n');
}

/** The port has no authentication, and each scrape holds the objects of its moment until the client has read it. */
const mostScrapes = 16;
/** Longer than Prometheus waits by default. */
const scrapeDeadlineMs = 30_000;

function metricsListener(scrape: Scrape, clock: Clock): RequestListener {
  let running = 0;
  const serve = async (response: ServerResponse) => {
    const timer = clock.setTimer(scrapeDeadlineMs, () => response.destroy());
    running++;
    await answerScrape(response, scrape);
    running--;
    timer.cancel();
  };
  return (request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') answer(response, 404, 'not found\n');
    else if (running >= mostScrapes) answer(response, 503, 'too many scrapes\n');
    else void serve(response);
  };
}

/** Never rejects. */
async function answerScrape(response: ServerResponse, scrape: Scrape): Promise<void> {
  const parts = await scrape().catch(() => undefined);
  if (parts === undefined) answer(response, 500, 'metrics failed\n');
  else await sendParts(response, parts);
}

/** Waits for the client between the parts. A client that goes away ends it. */
async function sendParts(response: ServerResponse, parts: Iterable<string>): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  await pipeline(Readable.from(parts), response).catch(() => response.destroy());
}

function answer(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type }).end(text);
}
