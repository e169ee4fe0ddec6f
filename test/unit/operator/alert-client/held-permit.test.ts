// A permit that is held for a list and the PATCH that is planned from it: no other request comes between the two.
import { Buffer } from 'node:buffer';

import { Dispatcher } from 'undici';
import { expect, test } from 'vitest';

import { silentLogger } from '../../../../src/lib/log.ts';
import { seededRandom } from '../../../../src/lib/random.ts';
import { SecretText } from '../../../../src/lib/secret-text.ts';
import { connectAlertClient } from '../../../../src/operator/alert-client/connect.ts';
import { RateLimiter } from '../../../../src/operator/alert-client/rate-limiter.ts';
import { ManualClock, settlePromises } from '../../../support/rigs/manual-clock.ts';

/** Answers every list with no alerts and every PATCH with 204. */
class AnsweringDispatcher extends Dispatcher {
  readonly methods: string[] = [];

  override dispatch({ method }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const idle = () => undefined;
    const controller = { aborted: false, paused: false, reason: null, abort: idle, pause: idle, resume: idle };
    this.methods.push(method);
    handler.onRequestStart?.(controller, {});
    handler.onResponseStart?.(controller, method === 'GET' ? 200 : 204, {});
    handler.onResponseData?.(controller, Buffer.from('{"value":[]}'));
    handler.onResponseEnd?.(controller, {});
    return true;
  }

  override async destroy(): Promise<void> {
    // There is nothing to close.
  }
}

test('a request with a held permit goes at once, and every other one waits until it is released', async () => {
  const clock = new ManualClock();
  const dispatcher = new AnsweringDispatcher();
  const client = connectAlertClient({
    endpoint: { baseURL: 'https://a.example', providerNamespace: 'V.A', apiVersion: '1' },
    authentication: { kind: 'BearerToken' },
    readCredential: async () => new SecretText('t'),
    limits: { maxPages: 1, maxPageBytes: 1000, maxConcurrent: 1, requestTimeoutMs: 30_000 },
    rateLimiter: new RateLimiter({ clock, requestsPerHour: 3600, burst: 10, initialTokens: 10 }),
    allowHttp: false,
    allowedHosts: [],
    allowPrivateEndpoints: false,
    clock,
    random: seededRandom(1),
    log: silentLogger,
    openDispatcher: () => dispatcher,
  });
  const call = { priority: 'high', signal: new AbortController().signal, beforeSend: () => undefined } as const;
  const permit = await client.acquirePermit(call.signal);
  const others = [client.listAlerts('other', call), client.patchAlert('other', 'b', true, call)];
  await client.listAlerts('s', { ...call, permit });
  await client.patchAlert('s', 'a', false, { ...call, permit });
  await settlePromises();
  expect(dispatcher.methods).toEqual(['GET', 'PATCH']);
  permit.release();
  await Promise.all(others);
  expect(dispatcher.methods).toEqual(['GET', 'PATCH', 'GET', 'PATCH']);
  await client.stop();
});
