import { describe, expect, test } from 'vitest';

import { createForwardClock } from '../../../src/service/emulator/forward-clock.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';

function rig() {
  const base = new ManualClock(0);
  const clock = createForwardClock(base);
  const fired: string[] = [];
  const timer = (name: string, delayMs: number) => clock.setTimer(delayMs, () => void fired.push(name));
  return { base, clock, fired, timer };
}

describe('a clock that is set forward', () => {
  test('fires the timers that are due by then, in their order, and the others earlier', async () => {
    const { base, clock, fired, timer } = rig();
    timer('first', 1000);
    timer('second', 2000);
    timer('later', 10_000);
    clock.forwardBy(5000);
    await base.advance(0);
    expect(fired).toEqual(['first', 'second']);
    await base.advance(4999);
    expect(fired).toHaveLength(2);
    await base.advance(1);
    expect(fired).toEqual(['first', 'second', 'later']);
    expect(base.pendingTimers).toBe(0);
  });

  test('fires no timer that was cancelled before or after', async () => {
    const { base, clock, fired, timer } = rig();
    const [before, after] = [timer('before', 1000), timer('after', 1000)];
    before.cancel();
    clock.forwardBy(500);
    after.cancel();
    await base.advance(10_000);
    expect(fired).toEqual([]);
  });
});
