// Items that arrive while a batch is on its way go together as the next one.

import { describe, expect, test } from 'vitest';

import { settle } from '../../../../src/lib/errors.ts';
import { createBatches } from '../../../../src/service/database/batches.ts';

/** Fails for 9. */
function done(item: number): string {
  if (item === 9) throw new Error('no');
  return `done ${item}`;
}

/** Batches whose sending each ends when the test says so. */
function sending(limit = 3) {
  const sent: {
    readonly items: readonly number[];
    readonly end: PromiseWithResolvers<readonly PromiseSettledResult<string>[]>;
  }[] = [];
  const add = createBatches<number, string>((items) => {
    const end = Promise.withResolvers<readonly PromiseSettledResult<string>[]>();
    sent.push({ items, end });
    return end.promise;
  }, limit);
  const answer = (index: number) => sent[index]?.end.resolve(sent[index].items.map((item) => settle(() => done(item))));
  return {
    sent: () => sent.map(({ items }) => items),
    fail: (index: number) => sent[index]?.end.reject(new Error('lost')),
    answer,
    add,
  };
}

describe('batches', () => {
  test('send together what arrives while a batch is on its way, in order and up to the limit', async () => {
    const { sent, answer, add } = sending();
    const results = [1, 2, 3, 4, 5].map(add);
    answer(0);
    expect(await results[0]).toBe('done 1');
    await expect.poll(sent).toEqual([[1], [2, 3, 4]]);
    answer(1);
    await expect.poll(sent).toEqual([[1], [2, 3, 4], [5]]);
    answer(2);
    expect(await Promise.all(results)).toEqual(['done 1', 'done 2', 'done 3', 'done 4', 'done 5']);
  });

  test('fail every item of a batch that fails, and only those', async () => {
    const { sent, fail, answer, add } = sending();
    const results = [1, 2, 3].map(add);
    answer(0);
    await expect.poll(sent).toEqual([[1], [2, 3]]);
    fail(1);
    expect((await Promise.allSettled(results)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    const next = add(4);
    answer(2);
    expect(await next).toBe('done 4');
  });

  test('that collect send together what arrives before that ends', async () => {
    const [turn, sent] = [Promise.withResolvers<void>(), [] as (readonly number[])[]];
    const send = async (items: readonly number[]) => {
      sent.push(items);
      return items.map((item) => settle(() => item));
    };
    const add = createBatches(send, 3, () => turn.promise);
    const results = [1, 2].map(add);
    await Promise.resolve();
    results.push(add(3), add(4));
    expect(sent).toEqual([]);
    turn.resolve();
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4]);
    expect(sent).toEqual([[1, 2, 3], [4]]);
  });
});
