import { describe, expect, it } from 'vitest';

import { within } from '../../../src/lib/clock.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';

describe('waiting for a promise', () => {
  it('gives its value or its error, and leaves no timer', async () => {
    const clock = new ManualClock();
    await expect(within(clock, 1000, Promise.resolve(42))).resolves.toBe(42);
    await expect(within(clock, 1000, Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends when the time is up, whatever comes later', async () => {
    const clock = new ManualClock();
    let refuse: (error: Error) => void = () => undefined;
    const promise = new Promise<never>((_resolve, reject) => {
      refuse = reject;
    });
    const outcome = within(clock, 1000, promise);
    await clock.advance(1000);
    refuse(new Error('too late'));
    await expect(outcome).resolves.toBe('late');
  });
});
