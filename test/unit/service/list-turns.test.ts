// The turns of lists: small ones run at once, large ones 4 MiB at a time, and the caller that received the least goes first.
import { setImmediate as nextTurn } from 'node:timers/promises';

import { expect, it } from 'vitest';

import type { MaybePromise } from '../../../src/lib/maybe-promise.ts';
import { ListTurns, turnBytes } from '../../../src/service/http/list-turns.ts';
import { emptyResponse, jsonResponse, type ServiceResponse } from '../../../src/service/http/message.ts';

/** Fills a turn. */
const large = jsonResponse(200, 'x'.repeat(turnBytes));
const small = emptyResponse(200);
const largeBody = 'x'.repeat(20_000);

const all = (lists: readonly MaybePromise<ServiceResponse>[]) => Promise.all(lists.map(async (each) => each));

/** The names of lists in the order in which they ran. */
function rig() {
  const ran: string[] = [];
  const turns = new ListTurns();
  const list = (name: string, scope: string, response = large) => {
    const caller = { class: 'client', name } as const;
    const work = () => {
      ran.push(`${name} ${scope}`);
      return response;
    };
    return turns.run({ caller, scope }, work);
  };
  return { ran, turns, list };
}

it('small lists run at once, however many', () => {
  const { ran, list } = rig();
  for (let index = 0; index < 5000; index++) expect(list('a', 's', small)).toBe(small);
  expect(ran).toHaveLength(5000);
});

it('large lists that fit into a turn run at once', () => {
  const { list } = rig();
  const page = jsonResponse(200, 'x'.repeat(turnBytes / 64));
  for (let index = 0; index < 64; index++) expect(list('a', 's', page)).toBe(page);
  expect(list('a', 's', page)).toBeInstanceOf(Promise);
});

it('one large list runs in a turn of the event loop, and others wait for theirs', async () => {
  const { ran, list } = rig();
  const lists = ['1', '2', '3'].map((scope) => list('a', scope));
  expect(ran).toEqual(['a 1']);
  await nextTurn();
  await nextTurn();
  expect(ran.length).toBeLessThanOrEqual(3);
  expect(await all(lists)).toEqual([large, large, large]);
  expect(ran).toEqual(['a 1', 'a 2', 'a 3']);
});

it('a caller that received nothing goes before one that waits for large lists', async () => {
  const { ran, list } = rig();
  const lists = Array.from({ length: 20 }, () => list('a', 's'));
  await list('b', 't', small);
  expect(ran.slice(0, 2)).toEqual(['a s', 'b t']);
  await all(lists);
});

it('a small list of the same caller goes before the large ones of another scope', async () => {
  const { ran, list } = rig();
  const lists = Array.from({ length: 20 }, () => list('a', 's'));
  await list('a', 't', small);
  expect(ran.slice(0, 2)).toEqual(['a s', 'a t']);
  await all(lists);
});

it('what a caller received counts no longer once no list waits', async () => {
  const { ran, list } = rig();
  await list('a', 's');
  await nextTurn();
  await nextTurn();
  await all([list('c', 's'), list('a', 's'), list('b', 's')]);
  expect(ran).toEqual(['a s', 'c s', 'a s', 'b s']);
});

it('the caller that received less goes first, whatever it received of the scope it asks for', async () => {
  const { ran, list } = rig();
  const twice = jsonResponse(200, 'x'.repeat(2 * turnBytes));
  await all([list('a', 's', twice), list('b', 't'), list('b', 't'), list('a', 'u')]);
  expect(ran).toEqual(['a s', 'b t', 'b t', 'a u']);
});

it('callers with large lists take turns', async () => {
  const { ran, list } = rig();
  await Promise.all([list('a', 's'), list('a', 's'), list('a', 's'), list('b', 's'), list('b', 's')]);
  expect(ran).toEqual(['a s', 'b s', 'a s', 'b s', 'a s']);
});

it('lists that wait for a database run eight at a time, and a failure frees the place of its list', async () => {
  const turns = new ListTurns();
  const reads: PromiseWithResolvers<typeof small>[] = [];
  const lists = Array.from({ length: 10 }, (_, index) =>
    turns.run({ caller: { class: 'client', name: 'a' }, scope: String(index) }, () => {
      const read = Promise.withResolvers<typeof small>();
      reads.push(read);
      return read.promise;
    }),
  );
  expect(reads).toHaveLength(8);
  reads[0]?.reject(new Error('no database'));
  await expect(lists[0]).rejects.toThrow('no database');
  await expect.poll(() => reads.length).toBe(9);
  for (let index = 1; index < 10; index++) {
    await expect.poll(() => reads.length).toBeGreaterThan(index);
    reads[index]?.resolve(small);
  }
  expect(await all(lists.slice(1))).toHaveLength(9);
});

it('a list that waits and fails does not keep others from their turns', async () => {
  const { list, turns } = rig();
  const first = list('a', 's');
  const failing = turns.run({ caller: { class: 'client', name: 'b' }, scope: 's' }, () => {
    throw new Error('broken');
  });
  const last = list('c', 's');
  await expect(failing).rejects.toThrow('broken');
  expect(await all([first, last])).toEqual([large, large]);
});

it('what callers received is forgotten at a bound, although a list reads from the database in every turn', async () => {
  const turns = new ListTurns();
  const caller = { class: 'client', name: 'a' } as const;
  const read = Promise.withResolvers<typeof small>();
  const reading = turns.run({ caller, scope: 'slow' }, () => read.promise);
  let most = 0;
  for (let index = 0; index < 11_000; index++) {
    await turns.run({ caller, scope: String(index) }, () => jsonResponse(200, largeBody));
    most = Math.max(most, turns.counted);
    if (index % 50 === 0) await nextTurn();
  }
  await nextTurn();
  expect([most > 9000, most < 10_100, turns.counted < 1100]).toEqual([true, true, true]);
  read.resolve(small);
  await reading;
});
