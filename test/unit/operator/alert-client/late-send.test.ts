// A process that was stopped, or could not run for a while, continues where it was: with the socket first, and only then with the timer
// that should have ended the request long ago.
import { expect, test } from 'vitest';

import type { Clock } from '../../../../src/lib/clock.ts';
import { seededRandom } from '../../../../src/lib/random.ts';
import { createAlertTransport } from '../../../../src/operator/alert-client/transport.ts';
import { SimNetwork } from '../../../simulation/engine/network.ts';
import { SimProcess } from '../../../simulation/engine/sim-process.ts';
import { VirtualTime } from '../../../simulation/engine/virtual-time.ts';

/** What the host sees, and what became of the request, when its process was stopped for so long: between dispatch and send, or after it. */
async function sendAfter(stoppedMs: number, method: 'PATCH' | 'GET' = 'PATCH', isSentBefore = false) {
  const time = new VirtualTime();
  const process = new SimProcess('p', time);
  const seen: string[] = [];
  const network = new SimNetwork({ time, random: seededRandom(1), fateOf: () => ({ kind: 'deliver' }) });
  network.addHost('https://alerts.sim', {
    handle({ method }) {
      seen.push(method);
      return { status: 204, body: '' };
    },
  });
  const clock: Clock = process.clock;
  const dispatcher = network.openDispatcher(process);
  const transport = createAlertTransport({
    clock,
    requestTimeoutMs: 5000,
    maxConcurrent: 1,
    allowPrivateEndpoints: true,
    dispatcher,
  });
  let asked = 0;
  const outcome = transport
    .send({
      origin: 'https://alerts.sim',
      target: '/a',
      method,
      headers: [],
      bodyLimitBytes: 1000,
      signal: new AbortController().signal,
      beforeSend: () => void asked++,
    })
    .then(
      ({ status }) => String(status),
      (error: unknown) => (error as { code?: string }).code,
    );
  const mayFreeze = () => !isSentBefore || asked > 0;
  while (!mayFreeze()) await time.runUntil(time.nowMs + 1);
  process.freeze();
  time.schedule(stoppedMs, () => process.thaw());
  await time.runUntil(stoppedMs + 10_000);
  return { outcome: await outcome, seen, asked };
}

test('a request is sent after a short stop of the process', async () => {
  expect(await sendAfter(4000)).toEqual({ outcome: '204', seen: ['PATCH'], asked: 1 });
});

test('a request whose deadline has passed is not sent', async () => {
  expect(await sendAfter(60_000)).toEqual({ outcome: 'service-unreachable', seen: [], asked: 0 });
});

test('a list whose response is read after the deadline is rejected as stale', async () => {
  expect(await sendAfter(60_000, 'GET', true)).toMatchObject({ outcome: 'service-unreachable', seen: ['GET'] });
});

test('the response of a PATCH counts, however late it is read', async () => {
  expect(await sendAfter(60_000, 'PATCH', true)).toMatchObject({ outcome: '204', seen: ['PATCH'] });
});
