// A PATCH whose first token is refused with 401, and which is not sent a second time: nothing was changed by it.
import { expect, test } from 'vitest';

import type { AlertClient } from '../../../src/alert-client/alert-client.ts';
import { connectAlertClient } from '../../../src/alert-client/connect.ts';
import { RateLimiter } from '../../../src/alert-client/rate-limiter.ts';
import { AlertsError } from '../../../src/alerts/alerts-error.ts';
import type { ApplyDeps } from '../../../src/controller/apply-deps.ts';
import { applyActions } from '../../../src/controller/apply.ts';
import { ControllerError } from '../../../src/controller/controller-error.ts';
import { silentLogger } from '../../../src/lib/log.ts';
import { seededRandom } from '../../../src/lib/random.ts';
import { SecretText } from '../../../src/lib/secret-text.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';
import { AnsweringDispatcher } from '../../support/servers/answering-dispatcher.ts';

/** A client whose service refuses the first token. `readAgain` is how its Secret is read after that. */
const record = { at: '2026-01-01T00:00:00Z', namespace: 'team', scope: 's', alert: 'A' };
const sent = { record, sentMs: 0 };

function clientOf(clock: ManualClock, patchAnswers: number[], readAgain: () => SecretText): AlertClient {
  let reads = 0;
  return connectAlertClient({
    endpoint: { baseURL: 'https://a.example', providerNamespace: 'V.A', apiVersion: '1' },
    authentication: { kind: 'BearerToken' },
    readCredential: async () => (++reads === 1 ? new SecretText('first') : readAgain()),
    limits: { maxPages: 1, maxPageBytes: 1000, maxConcurrent: 1, requestTimeoutMs: 30_000 },
    rateLimiter: new RateLimiter({ clock, requestsPerHour: 3600, burst: 10, initialTokens: 10 }),
    allowHttp: false,
    allowedHosts: [],
    allowPrivateEndpoints: false,
    clock,
    random: seededRandom(1),
    log: silentLogger,
    openDispatcher: () => new AnsweringDispatcher(() => ({ status: patchAnswers.shift() ?? 500 })),
  });
}

/** Deactivates one alert. `isPlanned` is asked before each send. */
async function deactivate(client: AlertClient, clock: ManualClock, isPlanned: () => boolean) {
  let undone = 0;
  const tools: ApplyDeps = {
    client,
    observer: { actionEnded: () => undefined } as unknown as ApplyDeps['observer'],
    nowMs: () => clock.now(),
    check: () => undefined,
    checkRecorded() {
      if (!isPlanned()) throw new ControllerError('plan-outdated', 'as the test wants it');
    },
    recordDismissal: async () => ({ atMs: clock.monotonic(), cancel: () => void undone++, sent }),
    confirm: async () => undefined,
    freshen: async () => undefined,
    noteSent: () => undefined,
    reportReachability: () => undefined,
    mayContinue: () => true,
    checkMayWrite: () => undefined,
  };
  const action = { alert: 'A', isActive: false, cause: 'DismissalHolds', policyKey: 'team/p', actor: 'User' } as const;
  const input = { connection: 'team/c', scope: 's', actions: [action], sent: new Map(), pages: 1, intervalMs: 60_000 };
  const call = { priority: 'high', signal: new AbortController().signal } as const;
  const { count, outdated, error } = await applyActions(tools, input, call);
  await client.stop();
  return { count, outdated, code: error?.code, undone };
}

const another = () => new SecretText('second');

test('its entry stays without another credential for a retry', async () => {
  const clock = new ManualClock();
  const client = clientOf(clock, [401], () => {
    throw new AlertsError('credential-missing', 'as the test wants it');
  });
  const ended = await deactivate(client, clock, () => true);
  expect(ended).toEqual({ count: 0, outdated: 0, code: 'credential-missing', undone: 0 });
});

test('its entry stays when no policy declares it any more before the retry', async () => {
  const clock = new ManualClock();
  let asked = 0;
  const ended = await deactivate(clientOf(clock, [401], another), clock, () => ++asked === 1);
  expect(ended).toEqual({ count: 0, outdated: 1, code: undefined, undone: 0 });
});

test('its entry stays when the retry is sent and has no usable response', async () => {
  const clock = new ManualClock();
  const ended = await deactivate(clientOf(clock, [401, 500], another), clock, () => true);
  expect(ended).toMatchObject({ count: 1, undone: 0 });
});
