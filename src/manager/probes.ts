// The HTTP servers of the manager: /livez and /readyz for the kubelet, /metrics for Prometheus. Ready means that the
// caches have synced and the process is not stopping; an outage of the service or the API server does not make it not
// ready.
import type { RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { startHttpServer } from '../lib/http-server.ts';
import type { ListenAddress } from '../lib/listen-address.ts';

export interface Health {
  /** True while the watches keep trying. The response itself shows that the event loop runs. */
  readonly isLive: () => boolean;
  readonly isReady: () => boolean;
}

export interface Bindings {
  readonly probes: ListenAddress | undefined;
  readonly metrics: ListenAddress | undefined;
}

export interface Probes {
  /** Base URLs; undefined for a server that is disabled. */
  readonly probesURL: string | undefined;
  readonly metricsURL: string | undefined;
  stop(): Promise<void>;
}

/** The text of the metrics, in parts. */
type Scrape = () => Promise<Iterable<string>>;

/** Listens on the given addresses or, when one of them is in use, on none and rejects. */
export async function startProbes(bindings: Bindings, health: Health, scrape: Scrape): Promise<Probes> {
  const probes = bindings.probes && (await startHttpServer(bindings.probes, probeListener(health)));
  try {
    const metrics = bindings.metrics && (await startHttpServer(bindings.metrics, metricsListener(scrape)));
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

function metricsListener(scrape: Scrape): RequestListener {
  return (request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') {
      answer(response, 404, 'not found\n');
      return;
    }
    scrape().then(
      (parts) => sendParts(response, parts),
      () => answer(response, 500, 'metrics failed\n'),
    );
  };
}

/** Waits for the client between the parts. A client that goes away ends it. */
function sendParts(response: ServerResponse, parts: Iterable<string>): void {
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  pipeline(Readable.from(parts), response).catch(() => response.destroy());
}

function answer(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type }).end(text);
}
