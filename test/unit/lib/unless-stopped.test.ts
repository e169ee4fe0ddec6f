// The wait for what cannot be cancelled.
import { expect, it } from 'vitest';

import { StoppedError, unlessStopped } from '../../../src/lib/errors.ts';

const never = new Promise<never>(() => undefined);

it('settles as the promise does', async () => {
  const { signal } = new AbortController();
  expect(await unlessStopped(Promise.resolve(1), signal)).toBe(1);
  await expect(unlessStopped(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
});

it('ends when the signal aborts, before or during the wait', async () => {
  const stopping = new AbortController();
  const waiting = unlessStopped(never, stopping.signal);
  stopping.abort();
  await expect(waiting).rejects.toThrow(StoppedError);
  await expect(unlessStopped(never, stopping.signal)).rejects.toThrow(StoppedError);
});
