import { expect, it } from 'vitest';

import { Lane } from '../../../src/controller/lane.ts';
import { ManualClock, settlePromises } from '../../support/manual-clock.ts';

function laneOf(workers: number) {
  const clock = new ManualClock();
  const running = new Map<string, (nextLookMs: number | undefined) => void>();
  const started: string[] = [];
  const aborted: string[] = [];
  const calledBack: string[] = [];
  const lane = new Lane({
    clock,
    workers,
    work: (key, { urgency, signal, patience }) =>
      new Promise((resolve) => {
        started.push(`${key}/${urgency}`);
        running.set(key, resolve);
        signal.addEventListener('abort', () => {
          aborted.push(key);
          resolve(undefined);
        });
        patience.addEventListener('abort', () => calledBack.push(key));
      }),
  });
  return { clock, lane, running, started, aborted, calledBack };
}

it('works on as many keys as it has workers, and edits have workers of their own', async () => {
  const { lane, started, running } = laneOf(2);
  for (const key of ['a', 'b', 'c']) lane.add(key, 'resync');
  lane.add('edit', 'edit');
  await settlePromises();
  expect(started).toEqual(['edit/edit', 'a/resync', 'b/resync']);
  running.get('a')?.(undefined);
  await settlePromises();
  expect(started.at(-1)).toBe('c/resync');
  expect(lane.active).toBe(3);
});

it('works once on a key that several events of one moment touch', async () => {
  const { lane, started } = laneOf(2);
  lane.add('a', 'resync');
  lane.add('a', 'edit');
  lane.add('a', 'resync');
  await settlePromises();
  expect(started).toEqual(['a/edit']);
});

it('calls a resync back when its key is edited, and no other, and works on the edit next', async () => {
  const { lane, started, running, calledBack } = laneOf(2);
  for (const key of ['a', 'b']) lane.add(key, 'resync');
  await settlePromises();
  lane.add('a', 'resync');
  expect(calledBack).toEqual([]);
  lane.add('a', 'edit');
  expect(calledBack).toEqual(['a']);
  running.get('a')?.(0);
  await settlePromises();
  expect(started).toEqual(['a/resync', 'b/resync', 'a/edit']);
  lane.add('a', 'edit');
  expect(calledBack).toEqual(['a']);
});

it('calls all resyncs back, and no edit', async () => {
  const { lane, calledBack } = laneOf(2);
  lane.add('a', 'edit');
  for (const key of ['b', 'c']) lane.add(key, 'resync');
  await settlePromises();
  lane.callBack();
  expect(calledBack).toEqual(['b', 'c']);
});

it('looks again after the delay that the work asks for', async () => {
  const { lane, started, running, clock } = laneOf(1);
  lane.add('a', 'edit');
  await settlePromises();
  running.get('a')?.(5000);
  await clock.advance(4999);
  expect(started).toHaveLength(1);
  await clock.advance(1);
  expect(started).toEqual(['a/edit', 'a/resync']);
});

it('finishes what is under way when it stops, and cuts it off after its grace', async () => {
  const { lane, running, aborted, clock } = laneOf(2);
  lane.add('quick', 'edit');
  lane.add('slow', 'edit');
  await settlePromises();
  let isStopped = false;
  void lane.stop(1000).then(() => (isStopped = true));
  lane.add('late', 'edit');
  running.get('quick')?.(undefined);
  await clock.advance(999);
  expect([isStopped, aborted]).toEqual([false, []]);
  await clock.advance(1);
  expect(isStopped).toBe(true);
  expect(aborted).toContain('slow');
  expect(running.has('late')).toBe(false);
});

it('says how many keys are due and wait, and how many are worked on', async () => {
  const { lane, running } = laneOf(1);
  for (const key of ['a', 'b', 'c']) lane.add(key, 'resync');
  lane.add('later', 'resync', 1000);
  lane.add('edit', 'edit');
  await settlePromises();
  expect([lane.depth, lane.active]).toEqual([2, 2]);
  running.get('edit')?.(undefined);
  await settlePromises();
  expect([lane.depth, lane.active]).toEqual([2, 1]);
});

it('takes up more keys at once when it gets more workers', async () => {
  const { lane, started } = laneOf(1);
  for (const key of ['a', 'b', 'c']) lane.add(key, 'resync');
  await settlePromises();
  lane.setWorkers(2);
  expect(started).toEqual(['a/resync', 'b/resync']);
});

it('forgets a key that is removed before its turn', async () => {
  const { lane, started, clock } = laneOf(1);
  lane.add('a', 'resync', 1000);
  lane.add('b', 'resync', 1000);
  lane.remove('a');
  await clock.advance(1000);
  expect(started).toEqual(['b/resync']);
});

it('comes back to a key when its work says so, and not before', async () => {
  const { lane, started, running, clock } = laneOf(1);
  lane.add('a', 'edit');
  await settlePromises();
  running.get('a')?.(5000);
  await clock.advance(4999);
  expect(started).toEqual(['a/edit']);
  await clock.advance(1);
  expect(started).toEqual(['a/edit', 'a/resync']);
});

it('that is stopped takes nothing new, calls resyncs back, and aborts what is left when its time is over', async () => {
  const { lane, started, running, aborted, calledBack, clock } = laneOf(2);
  lane.add('slow', 'resync');
  lane.add('quick', 'edit');
  lane.add('later', 'resync', 500);
  await settlePromises();
  let isStopped = false;
  void lane.stop(1000).then(() => (isStopped = true));
  lane.add('late', 'edit');
  running.get('quick')?.(100);
  await clock.advance(999);
  expect([started.toSorted(), aborted, calledBack, isStopped]).toEqual([
    ['quick/edit', 'slow/resync'],
    [],
    ['slow'],
    false,
  ]);
  await clock.advance(1);
  expect([aborted.includes('slow'), isStopped]).toEqual([true, true]);
  expect(clock.pendingTimers).toBe(0);
});

it('that is stopped with nothing under way is stopped at once', async () => {
  const { lane, clock } = laneOf(1);
  lane.add('later', 'resync', 1000);
  await lane.stop(1000);
  expect(clock.pendingTimers).toBe(0);
});
