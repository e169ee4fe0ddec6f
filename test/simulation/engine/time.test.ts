// Virtual time, and the clocks of processes that freeze, step and die.
import { expect, it } from 'vitest';

import { sleep } from '../../../src/lib/clock.ts';
import { SimProcess, startOfTimeMs } from './sim-process.ts';
import { VirtualTime } from './virtual-time.ts';

function start() {
  const time = new VirtualTime();
  const process = new SimProcess('p', time);
  const said: string[] = [];
  const say = (what: string) => said.push(`${time.nowMs} ${what}`);
  return { time, process, said, say };
}

it('runs what is due in order, and equal times in the order in which they were set', async () => {
  const { time, said, say } = start();
  time.schedule(20, () => say('c'));
  time.schedule(10, () => say('a'));
  time.schedule(10, () => say('b'));
  time.schedule(5, () => time.schedule(5, () => say('after b')));
  await time.runUntil(20);
  expect([said, time.nowMs]).toEqual([['10 a', '10 b', '10 after b', '20 c'], 20]);
});

it('lets everything run that waits for promises before time continues', async () => {
  const { time, process, said, say } = start();
  const work = async () => {
    await sleep(process.clock, 10);
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
    say('after a hundred turns');
    await sleep(process.clock, 10);
    say('later');
  };
  const done = work();
  time.schedule(11, () => say('next'));
  await time.runUntil(20);
  await done;
  expect(said).toEqual(['10 after a hundred turns', '11 next', '20 later']);
});

it('does not run what was cancelled, and counts the timers that are open', async () => {
  const { time, process, said, say } = start();
  const cancelled = process.clock.setTimer(10, () => say('cancelled'));
  process.clock.setTimer(10, () => say('due'));
  process.clock.setTimer(100, () => say('not yet'));
  cancelled.cancel();
  cancelled.cancel();
  await time.runUntil(50);
  expect([said, process.openTimers]).toEqual([['10 due'], 1]);
});

it('lets a frozen process do later what was due meanwhile, in order', async () => {
  const { time, process, said, say } = start();
  for (const at of [10, 20, 60]) process.clock.setTimer(at, () => say(`timer ${at}`));
  time.schedule(5, () => process.freeze());
  time.schedule(50, () => process.thaw());
  await time.runUntil(100);
  expect(said).toEqual(['50 timer 10', '50 timer 20', '60 timer 60']);
});

it('lets a process that freezes again at once wait again', async () => {
  const { time, process, said, say } = start();
  process.clock.setTimer(10, () => {
    say('first');
    process.freeze();
  });
  process.clock.setTimer(20, () => say('second'));
  process.freeze();
  time.schedule(50, () => process.thaw());
  time.schedule(70, () => process.thaw());
  await time.runUntil(100);
  expect(said).toEqual(['50 first', '70 second']);
});

it('never runs a killed process again, frozen or not', async () => {
  const { time, process, said, say } = start();
  process.clock.setTimer(10, () => say('held'));
  process.clock.setTimer(60, () => say('later'));
  process.freeze();
  time.schedule(20, () => process.kill());
  time.schedule(30, () => process.thaw());
  await time.runUntil(100);
  process.clock.setTimer(1, () => say('of the dead'));
  await time.runUntil(200);
  expect(said).toEqual([]);
});

it('steps the wall clock of one process, and never its monotonic one', async () => {
  const { time, process } = start();
  const other = new SimProcess('q', time);
  await time.runUntil(1000);
  process.stepWall(-3_600_000);
  const clocks = [process, other].map(({ clock }) => [clock.now() - startOfTimeMs, clock.monotonic()]);
  expect(clocks).toEqual([
    [1000 - 3_600_000, 1000],
    [1000, 1000],
  ]);
});
