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
