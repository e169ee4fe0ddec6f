import { afterEach, expect, test } from 'vitest';

import { silentLogger } from '../../../../src/lib/log.ts';
import { followFile } from '../../../../src/service/config-files/follow-file.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

let stop = () => {};

afterEach(() => stop());

/** Follows a file with another content for each `everyMs`. */
function follow(everyMs: number) {
  const clock = new ManualClock();
  const beganMs = clock.now();
  const [taken, warned]: [number[], unknown[]] = [[], []];
  stop = followFile<number>({
    read: async () => Math.floor((clock.now() - beganMs) / everyMs),
    current: 0,
    isSame: (one, other) => one === other,
    onNew: (content) => void taken.push(content),
    problemMessage: 'not usable',
    clock,
    log: { ...silentLogger, warn: (fields) => void warned.push(fields) },
  });
  return { clock, taken, warned };
}

test.each([6000, 7000, 11_000, 35_000])('content that lasts for %d ms takes effect', async (everyMs) => {
  const { clock, taken, warned } = follow(everyMs);
  await clock.advance(120_000);
  expect([taken.length > 0, warned]).toEqual([true, []]);
});

test('content that never lasts for five seconds takes no effect and is logged once', async () => {
  const { clock, taken, warned } = follow(3000);
  await clock.advance(600_000);
  expect([taken, warned]).toEqual([[], [{ error: 'the content keeps changing' }]]);
});

test('no timer is left when it stops while a change settles', async () => {
  const { clock } = follow(3000);
  await clock.advance(32_000);
  stop();
  await clock.advance(0);
  expect(clock.pendingTimers).toBe(0);
});
