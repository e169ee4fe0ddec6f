import { expect, test } from 'vitest';

import { createTurnQueue } from '../../../../src/service/oauth/turn-queue.ts';
import { settlePromises } from '../../../support/rigs/manual-clock.ts';

/** A queue whose work ends when the test says so. */
function start(bounds: Partial<Parameters<typeof createTurnQueue>[0]> = {}) {
  const queue = createTurnQueue({ running: 1, waitingOfGroup: 3, waiting: 4, ...bounds });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const refused: string[] = [];
  return {
    started,
    refused,
    async enter(...names: readonly string[]) {
      for (const name of names) {
        const [group = ''] = name;
        const work = () => {
          started.push(name);
          return new Promise<string>((resolve) => ends.push(() => resolve(name)));
        };
        // A capital letter is a group of known callers.
        const isKnown = group !== group.toLowerCase();
        void queue.run({ group, isKnown }, work).then((result) => result === undefined && refused.push(name));
      }
      await settlePromises();
    },
    async endAll() {
      for (let end = ends.shift(); end; end = ends.shift()) {
        end();
        await settlePromises();
      }
    },
  };
}

test('groups take turns, and the work of a group keeps its order', async () => {
  const queue = start();
  await queue.enter('a1', 'a2', 'a3', 'b1', 'c1');
  await queue.endAll();
  expect(queue.started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
  expect(queue.refused).toEqual([]);
});

test('a full queue makes room for a group with less in it, and the last of the longest group is refused', async () => {
  const queue = start();
  await queue.enter('a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2', 'c2', 'd1', 'e1');
  expect(queue.refused).toEqual(['a4', 'b2', 'c2', 'a3', 'e1']);
  await queue.endAll();
  expect(queue.started).toEqual(['a1', 'a2', 'b1', 'c1', 'd1']);
});

test('a group has no more than its share of an empty queue', async () => {
  const queue = start({ waiting: 100 });
  await queue.enter('a1', 'a2', 'a3', 'a4', 'a5', 'b1');
  expect(queue.refused).toEqual(['a5']);
  await queue.endAll();
  expect(queue.started).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
});

test('known callers wait in a line of their own, which takes every other turn', async () => {
  const queue = start();
  await queue.enter('a1', 'b1', 'c1', 'd1', 'e1', 'f1', 'K1', 'K2', 'L1', 'K3', 'K4');
  expect(queue.refused).toEqual(['f1', 'K4']);
  await queue.endAll();
  expect(queue.started).toEqual(['a1', 'K1', 'b1', 'L1', 'c1', 'K2', 'd1', 'K3', 'e1']);
});

test('as many run as may, and after a failure as many again', async () => {
  const queue = createTurnQueue({ running: 2, waitingOfGroup: 3, waiting: 3 });
  const place = { group: 'a', isKnown: false };
  let concurrent = 0;
  let most = 0;
  const work = async (fails: boolean) => {
    concurrent += 1;
    most = Math.max(most, concurrent);
    await settlePromises();
    concurrent -= 1;
    if (fails) throw new Error('failed');
    return 'done';
  };
  const results = await Promise.allSettled(
    [true, true, true, false].map((fails) => queue.run(place, () => work(fails))),
  );
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'fulfilled']);
  expect([most, await queue.run(place, () => work(false))]).toEqual([2, 'done']);
});
