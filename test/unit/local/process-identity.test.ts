import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { describe, expect, test } from 'vitest';

import { identifyProcess, isStillRunning } from '../../../src/local/up-down.ts';
import { testMachine } from '../../support/rigs/local-machine.ts';

/** On Linux both ways work; elsewhere only `ps`. */
const platforms = process.platform === 'linux' ? ['linux', 'darwin'] : [process.platform];

describe.each(platforms)('a process identified as on %s', (platform) => {
  test('has an identity that stays', async () => {
    const { machine } = testMachine({ platform });
    const first = await identifyProcess(machine, process.pid);
    expect(first).toMatch(/\S/);
    expect(await identifyProcess(machine, process.pid)).toBe(first);
  });

  test('is not there any more when it has ended', async () => {
    const { machine } = testMachine({ platform });
    const child = spawn('sleep', ['60']);
    const pid = child.pid!;
    const identity = await identifyProcess(machine, pid);
    const seen = { name: 'sleep', pid, identity: identity ?? '' };
    expect(await isStillRunning(machine, seen)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await identifyProcess(machine, pid)).toBeUndefined();
    expect(await isStillRunning(machine, seen)).toBe(false);
  });

  test('is another one when it started at another time', async () => {
    const { machine } = testMachine({ platform });
    const seen = { name: 'node', pid: process.pid, identity: 'an earlier start' };
    expect(await isStillRunning(machine, seen)).toBe(false);
  });
});
