// The limits of bytes that clients have not read.
import { expect, it } from 'vitest';

import { UnreadBytes } from '../../../src/service/http/unread-bytes.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';

const mebibyte = 1024 * 1024;

const kept = () => expect.unreachable();

function unread() {
  const totals: number[] = [];
  const clock = new ManualClock();
  const limits = { unreadMiB: 3, callerUnreadMiB: 2, readTimeMs: 1000 };
  return { totals, clock, bytes: new UnreadBytes(limits, clock, (total) => void totals.push(total)) };
}

it('a response passes up to the limit of its caller and to that of all, and above neither', () => {
  const { bytes } = unread();
  bytes.hold('a', mebibyte, kept);
  expect(['a', 'b'].map((caller) => bytes.admits(caller, mebibyte))).toEqual([true, true]);
  expect(['a', 'b'].map((caller) => bytes.admits(caller, mebibyte + 1))).toEqual([false, true]);
  bytes.hold('a', mebibyte, kept);
  expect(['a', 'b'].map((caller) => bytes.admits(caller, 1))).toEqual([false, true]);
  bytes.hold('b', mebibyte, kept);
  expect(['a', 'b', 'c'].map((caller) => bytes.admits(caller, 1))).toEqual([false, false, false]);
});

it('what a client has read counts no longer', () => {
  const { bytes, totals } = unread();
  const first = bytes.hold('a', 2 * mebibyte, kept);
  const second = bytes.hold('b', 1, kept);
  bytes.release(first);
  expect(bytes.admits('a', 2 * mebibyte)).toBe(true);
  bytes.release(second);
  expect(totals).toEqual([2 * mebibyte, 2 * mebibyte + 1, 1, 0]);
});

it('a response above a limit passes alone', () => {
  const { bytes } = unread();
  expect(bytes.admits('a', 10 * mebibyte)).toBe(true);
  bytes.hold('a', 10 * mebibyte, kept);
  expect([bytes.admits('a', 1), bytes.admits('b', 1)]).toEqual([false, false]);
});

/** Holds responses of 1 MiB that the kernel took; the names of those that were cut. */
function takenBy(...callers: readonly string[]) {
  const { bytes, totals, clock } = unread();
  const cut: string[] = [];
  callers.forEach((caller, index) => {
    bytes.markTaken(bytes.hold(caller, mebibyte, kept), caller, () => void cut.push(`${caller}${index}`));
  });
  return { bytes, totals, clock, cut };
}

it('at the limit of a caller, its oldest responses that the kernel took make room once their clients had time to read', async () => {
  const { bytes, totals, clock, cut } = takenBy('b', 'a', 'a');
  await clock.advance(999);
  expect([bytes.admits('a', mebibyte), cut]).toEqual([false, []]);
  await clock.advance(1);
  expect([bytes.admits('a', mebibyte), cut]).toEqual([true, ['a1']]);
  expect(totals.at(-1)).toBe(2 * mebibyte);
});

it('at the limit of all, the caller with the most bytes makes room', () => {
  const { bytes, cut } = takenBy('b', 'a', 'a');
  expect([bytes.admits('c', mebibyte), cut]).toEqual([true, ['a1']]);
});

it('at the limit of all, a caller that has no more bytes than the other would get makes room only once its clients had time to read', async () => {
  const { bytes, clock, cut } = takenBy('a', 'b', 'c');
  expect([bytes.admits('d', mebibyte), cut]).toEqual([false, []]);
  await clock.advance(1000);
  expect([bytes.admits('d', mebibyte), cut]).toEqual([true, ['a0']]);
});

it('a response that was released, or that the service still sends, makes no room', async () => {
  const { bytes, clock } = unread();
  const taken = bytes.hold('a', mebibyte, kept);
  bytes.markTaken(taken, '', () => expect.unreachable());
  bytes.release(taken);
  bytes.hold('a', 2 * mebibyte, kept);
  await clock.advance(1000);
  expect(bytes.admits('a', mebibyte)).toBe(false);
});

/** Holds responses of 1 MiB that the service still sends; the names of those that were cut. */
function sentTo(...callers: readonly string[]) {
  const { bytes, totals, clock } = unread();
  const cut: string[] = [];
  const held = callers.map((caller, index) => bytes.hold(caller, mebibyte, () => void cut.push(`${caller}${index}`)));
  return { bytes, totals, clock, cut, held };
}

it('at the limit of all, a caller that does not read makes room for one with fewer bytes', async () => {
  const { bytes, totals, clock, cut, held } = sentTo('b', 'a', 'a');
  await clock.advance(999);
  expect([bytes.admits('c', mebibyte), cut]).toEqual([false, []]);
  await clock.advance(1);
  expect([bytes.admits('c', mebibyte), cut]).toEqual([true, ['a1']]);
  bytes.release(held[1]!);
  bytes.markTaken(held[1]!, '', kept);
  expect(totals.at(-1)).toBe(2 * mebibyte);
  bytes.hold('c', mebibyte, kept);
  expect([bytes.admits('d', mebibyte), cut]).toEqual([false, ['a1']]);
});

it('at the limit of all, what the kernel took makes room before what it did not take', async () => {
  const { bytes, clock, cut, held } = sentTo('a', 'a', 'b');
  bytes.markTaken(held[2]!, '', () => void cut.push('taken'));
  await clock.advance(1000);
  expect([bytes.admits('c', mebibyte / 2), cut]).toEqual([true, ['taken']]);
});

it.each<[string, readonly string[], boolean]>([
  ['half of the limit of a caller', ['a'], false],
  ['more than half of the limit of a caller', ['a', 'a'], true],
  ['more than half of the limit of all', ['a', 'b'], true],
])('with %s held it is crowded, or not', (_, callers, isCrowded) => {
  expect(takenBy(...callers).bytes.isCrowded).toBe(isCrowded);
});

it('what the kernel took before, and has delivered, counts no longer', async () => {
  const { bytes, totals, clock, cut } = takenBy('a', 'b');
  await clock.advance(1);
  bytes.markTaken(bytes.hold('a', mebibyte, kept), 'a', kept);
  bytes.releaseDelivered(new Set(['a', 'c']), 1);
  expect([totals.at(-1), cut]).toEqual([2 * mebibyte, []]);
  expect([bytes.admits('b', mebibyte), bytes.admits('b', mebibyte + 1)]).toEqual([true, false]);
});
