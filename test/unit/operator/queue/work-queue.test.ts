import { expect, it } from 'vitest';

import { WorkQueue } from '../../../../src/operator/queue/work-queue.ts';
import { ManualClock, settlePromises } from '../../../support/rigs/manual-clock.ts';

function workQueueOf(workers: number) {
  const clock = new ManualClock();
  const running = new Map<string, (nextReconcileMs: number | undefined) => void>();
  const started: string[] = [];
  const aborted: string[] = [];
  const abortedWaits: string[] = [];
  const workQueue = new WorkQueue({
    clock,
    workers,
    work: (key, { urgency, signal, waitSignal }) =>
      new Promise((resolve) => {
        started.push(`${key}/${urgency}`);
        running.set(key, resolve);
        signal.addEventListener('abort', () => {
          aborted.push(key);
          resolve(undefined);
        });
        waitSignal.addEventListener('abort', () => abortedWaits.push(key));
      }),
  });
  return { clock, workQueue, running, started, aborted, abortedWaits };
}

it('works on as many keys as it has workers, and edits have workers of their own', async () => {
  const { workQueue, started, running } = workQueueOf(2);
  for (const key of ['a', 'b', 'c']) workQueue.add(key, 'resync');
  workQueue.add('edit', 'edit');
  await settlePromises();
  expect(started).toEqual(['edit/edit', 'a/resync', 'b/resync']);
  running.get('a')?.(undefined);
  await settlePromises();
  expect(started.at(-1)).toBe('c/resync');
  expect(workQueue.active).toBe(3);
});

it('calls a resync back when its key is edited, and no other, and works on the edit next', async () => {
  const { workQueue, started, running, abortedWaits } = workQueueOf(2);
  for (const key of ['a', 'b']) workQueue.add(key, 'resync');
  await settlePromises();
  workQueue.add('a', 'resync');
  expect(abortedWaits).toEqual([]);
  workQueue.add('a', 'edit');
  expect(abortedWaits).toEqual(['a']);
  running.get('a')?.(0);
  await settlePromises();
  expect(started).toEqual(['a/resync', 'b/resync', 'a/edit']);
  workQueue.add('a', 'edit');
  expect(abortedWaits).toEqual(['a']);
});

it('takes up more keys at once when it gets more workers', async () => {
  const { workQueue, started } = workQueueOf(1);
  for (const key of ['a', 'b', 'c']) workQueue.add(key, 'resync');
  await settlePromises();
  workQueue.setWorkers(2);
  expect(started).toEqual(['a/resync', 'b/resync']);
});

it('comes back to a key when its work says so, and not before', async () => {
  const { workQueue, started, running, clock } = workQueueOf(1);
  workQueue.add('a', 'edit');
  await settlePromises();
  running.get('a')?.(5000);
  await clock.advance(4999);
  expect(started).toEqual(['a/edit']);
  await clock.advance(1);
  expect(started).toEqual(['a/edit', 'a/resync']);
});

it('that is stopped takes nothing new, calls resyncs back, and aborts what is left when its time is over', async () => {
  const { workQueue, started, running, aborted, abortedWaits, clock } = workQueueOf(2);
  workQueue.add('slow', 'resync');
  workQueue.add('quick', 'edit');
  workQueue.add('later', 'resync', 500);
  await settlePromises();
  let isStopped = false;
  void workQueue.stop(1000).then(() => (isStopped = true));
  workQueue.add('late', 'edit');
  running.get('quick')?.(100);
  await clock.advance(999);
  expect([started.toSorted(), aborted, abortedWaits, isStopped]).toEqual([
    ['quick/edit', 'slow/resync'],
    [],
    ['slow'],
    false,
  ]);
  await clock.advance(1);
  expect([aborted.includes('slow'), isStopped]).toEqual([true, true]);
  expect(clock.pendingTimers).toBe(0);
});
