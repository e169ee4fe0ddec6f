// What the operator serves about itself: /livez and /readyz for the kubelet, /metrics for Prometheus. Ready means the caches
// have synced and it is not about to stop; a service or an API server that is down later is not "not ready".
import type { RequestListener, ServerResponse } from 'node:http';

import type { Registry } from 'prom-client';

import { type ListenAddress, startHttpServer } from '../lib/http-server.ts';

export interface Health {
  /** The watches are still trying. That the event loop turns is shown by the answer itself. */
  readonly isLive: () => boolean;
  readonly isReady: () => boolean;
}

export interface Bindings {
  readonly probes: ListenAddress | undefined;
  readonly metrics: ListenAddress | undefined;
}

export interface Probes {
  /** Base URLs; undefined for what is served nowhere. */
  readonly probesURL: string | undefined;
  readonly metricsURL: string | undefined;
  stop(): Promise<void>;
}

/** Listens where it was told to, or, when one of the addresses is taken, nowhere. */
export async function startProbes(bindings: Bindings, health: Health, registry: Registry): Promise<Probes> {
  const probes = bindings.probes && (await startHttpServer(bindings.probes, probeListener(health)));
  try {
    const metrics = bindings.metrics && (await startHttpServer(bindings.metrics, metricsListener(registry)));
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

function metricsListener(registry: Registry): RequestListener {
  return (request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') {
      answer(response, 404, 'not found\n');
      return;
    }
    registry.metrics().then(
      (text) => answer(response, 200, text, registry.contentType),
      () => answer(response, 500, 'metrics failed\n'),
    );
  };
}

function answer(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type }).end(text);
}
