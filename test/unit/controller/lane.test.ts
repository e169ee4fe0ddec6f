import { expect, it } from 'vitest';

import { Lane } from '../../../src/controller/lane.ts';
import { ManualClock, settlePromises } from '../../support/manual-clock.ts';

function laneOf(workers: number) {
  const clock = new ManualClock();
  const running = new Map<string, (nextLookMs: number | undefined) => void>();
  const started: string[] = [];
  const aborted: string[] = [];
  const lane = new Lane({
    clock,
    workers,
    work: (key, urgency, signal) =>
      new Promise((resolve) => {
        started.push(`${key}/${urgency}`);
        running.set(key, resolve);
        signal.addEventListener('abort', () => {
          aborted.push(key);
          resolve(undefined);
        });
      }),
  });
  return { clock, lane, running, started, aborted };
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
