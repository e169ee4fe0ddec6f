import { expect, test } from 'vitest';

import { createProgress, renderStep, renderTaken } from '../../../src/local/progress.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';

const building = { name: 'building', unit: 'packages' as const };

function shownOn(canRedraw: boolean) {
  const clock = new ManualClock();
  const written: string[] = [];
  return { clock, written, progress: createProgress({ clock, canRedraw, write: (text) => written.push(text) }) };
}

test('without a terminal a step is a line at its start and every ten percent', () => {
  const { progress, written } = shownOn(false);
  for (let done = 0; done <= 200; done += 1) progress.advance(building, done, 200);
  expect(written).toHaveLength(11);
  expect(written[0]).toBe('building: 0 of 200 packages (0 %)\n');
  expect(written[1]).toBe('building: 20 of 200 packages (10 %)\n');
  expect(written.at(-1)).toBe('building: 200 of 200 packages (100 %)\n');
});

test('without a terminal a slow step is a line every ten seconds', async () => {
  const { progress, written, clock } = shownOn(false);
  for (let second = 0; second < 25; second += 1) {
    progress.advance(building, 1, 2000);
    await clock.advance(1000);
  }
  expect(written).toHaveLength(3);
});

test('in a terminal a step is one line that rewrites itself, at most ten times a second', async () => {
  const { progress, written, clock } = shownOn(true);
  for (let done = 0; done < 100; done += 1) {
    progress.advance(building, done, 100);
    await clock.advance(10);
  }
  expect(written).toHaveLength(10);
  for (const text of written) expect(text).toMatch(/^\r\u001b\[K[^\n]+$/);
});

test('in a terminal a line of its own first erases the running step', () => {
  const { progress, written } = shownOn(true);
  progress.advance(building, 1, 2);
  progress.print('done');
  progress.print('really');
  expect(written.slice(1)).toEqual(['\r\u001b[K', 'done\n', 'really\n']);
});

test.each([
  [building, 312, 2715, 'building: 312 of 2715 packages (11 %)'],
  [building, 0, 0, 'building: 0 of 0 packages (0 %)'],
  [{ name: 'fetching', unit: 'modules' as const }, 7, undefined, 'fetching: 7 modules'],
  [{ name: 'getting', unit: 'bytes' as const }, 1_572_864, 3_145_728, 'getting: 1.5 of 3.0 MiB (50 %)'],
])('a step reads like a sentence: %o %i of %s', (step, done, total, expected) => {
  expect(renderStep(step, done, total)).toBe(expected);
});

test.each([
  [412.3, '412ms'],
  [3149, '3.1s'],
  [252_400, '4m12s'],
])('%d milliseconds are shown as %s', (durationMs, expected) => {
  expect(renderTaken(durationMs)).toBe(expected);
});
