import { expect, test } from 'vitest';

import { createLimit } from '../../../src/lib/limit.ts';

test('so many calls are in progress at a time, and the others begin in their order', async () => {
  const limit = createLimit(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const calls = [0, 1, 2, 3].map((at) =>
    limit(async () => {
      begun.push(at);
      await new Promise<void>((resolve) => ends.push(resolve));
      return at;
    }),
  );
  expect(begun).toEqual([0, 1]);
  ends[1]?.();
  await calls[1];
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.();
  ends[2]?.();
  await calls[2];
  ends[3]?.();
  expect(await Promise.all(calls)).toEqual([0, 1, 2, 3]);
});

test('a call that fails makes room, too, and its error is the caller’s', async () => {
  const limit = createLimit(1);
  const failed = limit(() => Promise.reject(new Error('made to fail')));
  const next = limit(() => Promise.resolve('done'));
  await expect(failed).rejects.toThrow('made to fail');
  expect(await next).toBe('done');
});
