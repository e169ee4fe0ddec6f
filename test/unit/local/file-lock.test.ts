import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { expect, test } from 'vitest';

import { systemClock } from '../../../src/lib/clock.ts';
import { withFileLock } from '../../../src/local/file-lock.ts';
import { testMachine } from '../../support/rigs/local-machine.ts';

const options = (onWaiting: () => void = () => undefined, withinMs = 300_000) => ({
  clock: systemClock,
  withinMs,
  onWaiting,
});

/** Another process that takes the lock, says so, and holds it until it is killed. */
function holdElsewhere(path: string) {
  const lock = new URL('../../../src/local/file-lock.ts', import.meta.url).href;
  const clock = new URL('../../../src/lib/clock.ts', import.meta.url).href;
  const program = `
    const { withFileLock } = await import(${JSON.stringify(lock)});
    const { systemClock } = await import(${JSON.stringify(clock)});
    await withFileLock(${JSON.stringify(path)}, { clock: systemClock, withinMs: 300_000, onWaiting() {} }, async () => {
      console.log('held');
      await new Promise((resolve) => process.stdin.once('data', resolve));
    });`;
  return spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['pipe', 'pipe', 'inherit'] });
}

test('a lock that is held is waited for, and the lock of a killed process is free at once', async () => {
  const path = join(testMachine().directory, 'lock');
  const holder = holdElsewhere(path);
  await once(createInterface(holder.stdout), 'line');
  const waiting = Promise.withResolvers<void>();
  const work = withFileLock(path, options(waiting.resolve), async () => 'done');
  await waiting.promise;
  holder.kill('SIGKILL');
  expect(await work).toBe('done');
});

test('waiting has an end', async () => {
  const path = join(testMachine().directory, 'lock');
  await withFileLock(path, options(), async () => {
    const second = withFileLock(path, options(undefined, 0), async () => 'never');
    await expect(second).rejects.toThrow('Timed out waiting for the lock');
  });
});
