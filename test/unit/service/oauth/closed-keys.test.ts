import { expect, test } from 'vitest';

import type { AttemptCounters, BoundedKey } from '../../../../src/service/oauth/attempt-counters.ts';
import { rememberClosedKeys } from '../../../../src/service/oauth/closed-keys.ts';
import { createMemoryAttemptCounters } from '../../../../src/service/oauth/memory-attempt-counters.ts';
import { handClock } from '../../../support/servers/alerts-service.ts';

/** Counts what reaches the shared counters. */
function start() {
  const clock = handClock();
  const shared = createMemoryAttemptCounters(clock);
  let asked = 0;
  const counted = <T>(work: (keys: readonly BoundedKey[]) => T) => {
    return (keys: readonly BoundedKey[]) => {
      asked += 1;
      return work(keys);
    };
  };
  const seen: AttemptCounters = {
    ...shared,
    isClosed: counted((keys) => shared.isClosed(keys)),
    count: counted((keys) => shared.count(keys)),
  };
  return { clock, shared, counters: rememberClosedKeys(seen, clock), asked: () => asked };
}
const key = (name: string, bound = 1) => ({ key: name, bound });

test('a flood from an address that is closed asks the shared counters a few times a second', async () => {
  const { counters, clock, asked } = start();
  await counters.count([key('address')]);
  for (let name = 0; name < 1000; name++) {
    expect(await counters.isClosed([key(`name-${name}`), key('address')])).toBe(true);
    expect(await counters.count([key(`name-${name}`), key('address')])).toBe(false);
  }
  expect(asked()).toBe(4);
  clock.advance(1000);
  expect(await counters.isClosed([key('address')])).toBe(true);
  expect(asked()).toBe(5);
});

test('only the closed key of an attempt is remembered: other attempts with its open keys are checked', async () => {
  const { counters } = start();
  await counters.count([key('address')]);
  await counters.isClosed([key('name'), key('address')]);
  expect(await counters.isClosed([key('name'), key('other address')])).toBe(false);
});

test('a key whose failures are taken back or forgotten is open at once', async () => {
  const { counters } = start();
  await counters.count([key('a'), key('b')]);
  expect([await counters.isClosed([key('a')]), await counters.isClosed([key('b')])]).toEqual([true, true]);
  await counters.takeBack(['a']);
  await counters.forget('b');
  expect([await counters.isClosed([key('a')]), await counters.isClosed([key('b')])]).toEqual([false, false]);
});

test('a key opens again at the end of its window, at the latest a second after it', async () => {
  const { counters, clock } = start();
  await counters.count([key('a')]);
  clock.advance(59_500);
  expect(await counters.isClosed([key('a')])).toBe(true);
  clock.advance(1000);
  expect(await counters.isClosed([key('a')])).toBe(false);
});
