// How long a PATCH may take when the service says nothing: shorter than a list, because the right to write has an end.
import { Dispatcher } from 'undici';
import { expect, test } from 'vitest';

import { messageOf } from '../../../../src/lib/errors.ts';
import { silentLogger } from '../../../../src/lib/log.ts';
import { seededRandom } from '../../../../src/lib/random.ts';
import { SecretText } from '../../../../src/lib/secret-text.ts';
import { longestPatchMs } from '../../../../src/operator/alert-client/client.ts';
import { connectAlertClient } from '../../../../src/operator/alert-client/connect.ts';
import { RateLimiter } from '../../../../src/operator/alert-client/rate-limiter.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

class SilentDispatcher extends Dispatcher {
  override dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const idle = () => undefined;
    const controller = { aborted: false, paused: false, reason: null, abort: idle, pause: idle, resume: idle };
    handler.onRequestStart?.(controller, {});
    return true;
  }

  override async destroy(): Promise<void> {
    // There is nothing to close.
  }
}

test.each([
  ['a PATCH ends after fifteen seconds', 'patch', 300_000, longestPatchMs],
  ['a PATCH ends sooner when the connection says so', 'patch', 2000, 2000],
  ['a list ends when the connection says so', 'list', 300_000, 300_000],
] as const)('%s', async (_, kind, requestTimeoutMs, expectedMs) => {
  const clock = new ManualClock();
  const client = connectAlertClient({
    endpoint: { baseURL: 'https://a.example', providerNamespace: 'V.A', apiVersion: '1' },
    authentication: { kind: 'BearerToken' },
    readCredential: async () => new SecretText('t'),
    limits: { maxPages: 1, maxPageBytes: 1000, maxConcurrent: 1, requestTimeoutMs },
    rateLimiter: new RateLimiter({ clock, requestsPerHour: 3600, burst: 10, initialTokens: 10 }),
    allowHttp: false,
    allowedHosts: [],
    allowPrivateEndpoints: false,
    clock,
    random: seededRandom(1),
    log: silentLogger,
    openDispatcher: () => new SilentDispatcher(),
  });
  const options = { priority: 'high', signal: new AbortController().signal, beforeSend: () => undefined } as const;
  const call = kind === 'patch' ? client.patchAlert('s', 'a', true, options) : client.listAlerts('s', options);
  let end: string | undefined;
  call.catch((error: unknown) => {
    end = messageOf(error);
  });
  await clock.advance(expectedMs - 1);
  expect(end).toBeUndefined();
  await clock.advance(1);
  expect(end).toBe('The service did not respond before the deadline.');
  await client.stop();
});
