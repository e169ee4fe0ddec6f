import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect, test } from 'vitest';

const clock = JSON.stringify(new URL('../../../src/lib/clock.ts', import.meta.url).href);

/** The exit code of a program that sleeps on the system clock, whose timers do not keep a process alive. */
async function exitCodeOf(wait: string): Promise<unknown> {
  const program = `
    const { keepProcessAlive, sleep, systemClock } = await import(${clock});
    await ${wait};
    process.exit(7);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [unknown];
  return code;
}

test('a process that waits for something stays alive until it has settled', async () => {
  expect(await exitCodeOf('keepProcessAlive(() => sleep(systemClock, 20))')).toBe(7);
});

test('without that it ends in the middle of its wait', async () => {
  expect(await exitCodeOf('sleep(systemClock, 20)')).not.toBe(7);
});
