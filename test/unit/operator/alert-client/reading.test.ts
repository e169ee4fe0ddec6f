// A value of the API server as it was last read: when it is read again, and what a failure leaves in use.
import { inspect } from 'node:util';

import { beforeEach, describe, expect, test } from 'vitest';

import type { Cached } from '../../../../src/lib/cached.ts';
import type { CodedError } from '../../../../src/lib/errors.ts';
import { createReading } from '../../../../src/operator/alert-client/service-way.ts';
import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import { errorOf } from '../../../support/builders/errors.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const signal = new AbortController().signal;
const away = new KubeError('kube-unreachable', 'away');
let clock: ManualClock;
let read: (signal: AbortSignal) => Promise<string>;
let reads: number;
let reading: Cached<string>;

beforeEach(() => {
  clock = new ManualClock();
  reads = 0;
  read = async () => `v${reads}`;
  reading = createReading({
    clock,
    read(readSignal) {
      reads += 1;
      return read(readSignal);
    },
  });
});

const value = async () => reading.current(signal);
const current = () => value().catch((error: CodedError) => error.code);

describe('a reading', () => {
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

  test('ends the use after an unexpected error, and hides that error', async () => {
    await current();
    await clock.advance(60_000);
    read = () => Promise.reject(new Error('canary'));
    const error: unknown = await value().catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: 'read-failed' });
    expect(inspect(error, { depth: 10 })).not.toContain('canary');
  });
});
