// The limits of bytes that clients have not read.
import { expect, it } from 'vitest';

import { UnreadBytes } from '../../../src/service/http/unread-bytes.ts';

const mebibyte = 1024 * 1024;

function unread() {
  const totals: number[] = [];
  return { totals, bytes: new UnreadBytes({ unreadMiB: 3, callerUnreadMiB: 2 }, (total) => void totals.push(total)) };
}

it('a response passes up to the limit of its caller and to that of all, and above neither', () => {
  const { bytes } = unread();
  bytes.add('a', mebibyte);
  expect(['a', 'b'].map((caller) => bytes.admits(caller, mebibyte))).toEqual([true, true]);
  expect(['a', 'b'].map((caller) => bytes.admits(caller, mebibyte + 1))).toEqual([false, true]);
  bytes.add('a', mebibyte);
  expect(['a', 'b'].map((caller) => bytes.admits(caller, 1))).toEqual([false, true]);
  bytes.add('b', mebibyte);
  expect(['a', 'b', 'c'].map((caller) => bytes.admits(caller, 1))).toEqual([false, false, false]);
});

it('what a client has read counts no longer', () => {
  const { bytes, totals } = unread();
  bytes.add('a', 2 * mebibyte);
  bytes.add('b', 1);
  bytes.remove('a', 2 * mebibyte);
  expect(bytes.admits('a', 2 * mebibyte)).toBe(true);
  bytes.remove('b', 1);
  expect(totals).toEqual([2 * mebibyte, 2 * mebibyte + 1, 1, 0]);
});

it('a response above a limit passes alone', () => {
  const { bytes } = unread();
  expect(bytes.admits('a', 10 * mebibyte)).toBe(true);
  bytes.add('a', 10 * mebibyte);
  expect([bytes.admits('a', 1), bytes.admits('b', 1)]).toEqual([false, false]);
});
