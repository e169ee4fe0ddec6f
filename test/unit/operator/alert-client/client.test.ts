// How long a PATCH may take when the service says nothing: shorter than a list, because the right to write has an end. And a permit that is
// held for a list and the PATCH that is planned from it: no other request comes between the two.
import { Dispatcher } from 'undici';
import { expect, test } from 'vitest';

import { messageOf } from '../../../../src/lib/errors.ts';
import { longestPatchMs } from '../../../../src/operator/alert-client/client.ts';
import { connectClient } from '../../../support/rigs/alert-client-rig.ts';
import { ManualClock, settlePromises } from '../../../support/rigs/manual-clock.ts';
import { AnsweringDispatcher } from '../../../support/servers/answering-dispatcher.ts';

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
  const client = connectClient('https://a.example', 't', {
    limits: { maxPages: 1, maxPageBytes: 1000, maxConcurrent: 1, requestTimeoutMs },
    clock,
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

test('a request with a held permit goes at once, and every other one waits until it is released', async () => {
  const clock = new ManualClock();
  const methods: string[] = [];
  const dispatcher = new AnsweringDispatcher(({ method }) => {
    methods.push(method);
    return method === 'GET' ? { status: 200, body: { value: [] } } : { status: 204 };
  });
  const client = connectClient('https://a.example', 't', {
    limits: { maxPages: 1, maxPageBytes: 1000, maxConcurrent: 1, requestTimeoutMs: 30_000 },
    clock,
    openDispatcher: () => dispatcher,
  });
  const call = { priority: 'high', signal: new AbortController().signal, beforeSend: () => undefined } as const;
  const permit = await client.acquirePermit(call.signal);
  const others = [client.listAlerts('other', call), client.patchAlert('other', 'b', true, call)];
  await client.listAlerts('s', { ...call, permit });
  await client.patchAlert('s', 'a', false, { ...call, permit });
  await settlePromises();
  expect(methods).toEqual(['GET', 'PATCH']);
  permit.release();
  await Promise.all(others);
  expect(methods).toEqual(['GET', 'PATCH', 'GET', 'PATCH']);
  await client.stop();
});
