// Lists of several pages that wait for the rate limiter at the same time: the one that has begun is completed first.
import { Buffer } from 'node:buffer';

import { Dispatcher } from 'undici';
import { expect, test } from 'vitest';

import { connectAlertClient } from '../../../src/alert-client/connect.ts';
import { RateLimiter } from '../../../src/alert-client/rate-limiter.ts';
import { silentLogger } from '../../../src/lib/log.ts';
import { seededRandom } from '../../../src/lib/random.ts';
import { SecretText } from '../../../src/lib/secret-text.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';

/** Answers every list with two pages. */
class PagesDispatcher extends Dispatcher {
  readonly paths: string[] = [];

  override dispatch({ path }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const idle = () => undefined;
    const controller = { aborted: false, paused: false, reason: null, abort: idle, pause: idle, resume: idle };
    const nextLink = path.includes('page=2') ? undefined : `https://a.example${path}&page=2`;
    this.paths.push(path.replace(/.*(scope-.)[^&]*/, '$1'));
    handler.onRequestStart?.(controller, {});
    handler.onResponseStart?.(controller, 200, {});
    handler.onResponseData?.(controller, Buffer.from(JSON.stringify({ value: [], nextLink })));
    handler.onResponseEnd?.(controller, {});
    return true;
  }

  override async destroy(): Promise<void> {
    // There is nothing to close.
  }
}

test('a list goes on before another one begins', async () => {
  const clock = new ManualClock();
  const dispatcher = new PagesDispatcher();
  const client = connectAlertClient({
    endpoint: { baseURL: 'https://a.example', providerNamespace: 'V.A', apiVersion: '1' },
    authentication: { kind: 'BearerToken' },
    readCredential: async () => new SecretText('t'),
    limits: { maxPages: 2, maxPageBytes: 1000, maxConcurrent: 4, requestTimeoutMs: 30_000 },
    rateLimiter: new RateLimiter({ clock, requestsPerHour: 3600, burst: 1, initialTokens: 0 }),
    allowHttp: false,
    allowedHosts: [],
    allowPrivateEndpoints: false,
    clock,
    random: seededRandom(1),
    log: silentLogger,
    openDispatcher: () => dispatcher,
  });
  const call = { priority: 'low', signal: new AbortController().signal } as const;
  const lists = ['scope-a', 'scope-b', 'scope-c'].map((scope) => client.listAlerts(scope, call));
  await clock.advance(7000);
  await Promise.all(lists);
  expect(dispatcher.paths).toEqual([
    'scope-a',
    'scope-a&page=2',
    'scope-b',
    'scope-b&page=2',
    'scope-c',
    'scope-c&page=2',
  ]);
  await client.stop();
});
