// A value of the API server as it was last read: who reads, when again, and what a failure leaves in use.
import { inspect } from 'node:util';

import { beforeEach, describe, expect, test } from 'vitest';

import { FailureHold } from '../../../src/alert-client/failure-hold.ts';
import { Reading } from '../../../src/alert-client/reading.ts';
import { AlertsError } from '../../../src/alerts/alerts-error.ts';
import { KubeError } from '../../../src/kube/kube-error.ts';
import type { CodedError } from '../../../src/lib/errors.ts';
import { seededRandom } from '../../../src/lib/random.ts';
import { errorOf } from '../../support/builders/errors.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';

const signal = new AbortController().signal;
const away = new KubeError('kube-unreachable', 'away');
let clock: ManualClock;
let read: (signal: AbortSignal) => Promise<string>;
let reading: Reading<string>;

beforeEach(() => {
  clock = new ManualClock();
  read = async () => `v${reading.count}`;
  reading = new Reading({ clock, random: seededRandom(1), read: (readSignal) => read(readSignal) });
});

const value = async () => reading.current(signal);
const current = () => value().catch((error: CodedError) => error.code);

describe('a reading', () => {
  test('lasts a minute from its beginning', async () => {
    read = async () => {
      await clock.advance(5000);
      return `v${reading.count}`;
    };
    expect(await current()).toBe('v1');
    await clock.advance(54_999);
    expect(await current()).toBe('v1');
    await clock.advance(1);
    expect(await current()).toBe('v2');
  });

  test('that was expired is repeated for the next caller, and then lasts a minute', async () => {
    await current();
    reading.expire();
    reading.expire();
    expect([await current(), await current()]).toEqual(['v2', 'v2']);
  });

  test('that was expired while in progress is repeated', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    read = () => promise;
    const first = current();
    reading.expire();
    resolve('old');
    expect(await first).toBe('old');
    read = async () => 'new';
    expect(await current()).toBe('new');
  });

  test('outlives its first caller', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    read = () => promise;
    const life = new AbortController();
    const first = reading.current(life.signal);
    const second = current();
    life.abort();
    await expect(first).rejects.toMatchObject({ code: 'stopped' });
    resolve('value');
    expect([await second, reading.count]).toEqual(['value', 1]);
  });

  test('ends after ten seconds, and aborts its request', async () => {
    let isAborted = false;
    read = (readSignal) => {
      readSignal.addEventListener('abort', () => (isAborted = true));
      return new Promise(() => undefined);
    };
    const code = current();
    await clock.advance(9999);
    expect(isAborted).toBe(false);
    await clock.advance(1);
    expect([await code, isAborted, clock.pendingTimers]).toEqual(['read-timeout', true, 0]);
  });

  test.each(['kube-unreachable', 'stopped'] as const)(
    'that fails with %s leaves the value before in use',
    async (code) => {
      await current();
      read = () => Promise.reject(errorOf(code, 'no'));
      await clock.advance(60_000);
      expect([await current(), await current(), reading.count]).toEqual(['v1', 'v1', 2]);
    },
  );

  test.each([
    'credential-missing',
    'credential-not-allowed',
    'endpoint-invalid',
    'kube-denied',
    'kube-invalid',
  ] as const)('that fails with %s ends the use, and so does an outage after it', async (code) => {
    await current();
    await clock.advance(60_000);
    read = () => Promise.reject(errorOf(code, 'no'));
    expect(await current()).toBe(code);
    read = () => Promise.reject(away);
    await clock.advance(30_000);
    expect(await current()).toBe('kube-unreachable');
  });

  test('that fails after a success is retried a second later', async () => {
    const failing = () => Promise.reject(new AlertsError('credential-missing', 'gone'));
    read = failing;
    for (let round = 0; round < 4; round++) {
      await current();
      await clock.advance(25_000);
    }
    read = async () => 'back';
    await current();
    await clock.advance(60_000);
    read = failing;
    await current();
    read = async () => 'back again';
    await clock.advance(1200);
    expect(await current()).toBe('back again');
  });

  test('ends the use after an unexpected error, and hides that error', async () => {
    await current();
    await clock.advance(60_000);
    read = () => Promise.reject(new Error('canary'));
    const error: unknown = await value().catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: 'read-failed' });
    expect(inspect(error, { depth: 10 })).not.toContain('canary');
  });
});

describe('a held failure', () => {
  const heldFor = (hold: FailureHold) => hold.error?.retryAfterMs ?? 0;

  test('is returned with all of its facts, and with the time that is left', async () => {
    const hold = new FailureHold({ clock, random: seededRandom(1) });
    expect(hold.error).toBeUndefined();
    const facts = { reason: 'R', status: 400, serviceCode: 'C', detail: 'D' };
    hold.note(new AlertsError('token-endpoint-failed', 'No.', facts), 5000);
    await clock.advance(2000);
    const retryAfterMs = expect.closeTo(3000);
    expect(hold.error).toMatchObject({ code: 'token-endpoint-failed', message: 'No.', ...facts, retryAfterMs });
    await clock.advance(3000);
    expect(hold.error).toBeUndefined();
  });

  test('doubles from one second to twenty, with a jitter of a fifth, and resets after a success', () => {
    const hold = new FailureHold({ clock, random: seededRandom(1) });
    const failure = new AlertsError('token-endpoint-failed', 'No.');
    for (const expectedMs of [1000, 2000, 4000, 8000, 16_000, 20_000, 20_000]) {
      hold.note(failure);
      expect(heldFor(hold)).toBeGreaterThanOrEqual(expectedMs * 0.8);
      expect(heldFor(hold)).toBeLessThanOrEqual(expectedMs * 1.2);
    }
    hold.clear();
    expect(hold.error).toBeUndefined();
    hold.note(failure);
    expect(heldFor(hold)).toBeLessThanOrEqual(1200);
  });
});
