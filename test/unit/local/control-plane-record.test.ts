import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { describe, expect, test } from 'vitest';

import { decodeRecord, identifyProcess, isStillRunning, renderStatus } from '../../../src/local/up-down.ts';
import { testMachine } from '../../support/rigs/local-machine.ts';

const record = {
  url: 'https://127.0.0.1:1234',
  kubeconfigPath: '/state/kubeconfig',
  kubectlPath: '/cache/kubectl',
  processes: [{ name: 'supervisor', pid: 4711, identity: 'boot/1' }],
};

describe('a record is none', () => {
  const withProcess = (change: object) =>
    JSON.stringify({ ...record, processes: [{ ...record.processes[0], ...change }] });
  test.each([
    ['', 'when it is empty'],
    ['{"url":', 'when it is cut off'],
    ['null', 'when it is no object'],
    [JSON.stringify({ ...record, url: 1 }), 'without a url'],
    [JSON.stringify({ ...record, processes: [] }), 'without processes'],
    [withProcess({ pid: 0 }), 'with process 0, which means a whole group'],
    [withProcess({ pid: -1 }), 'with process -1, which means everything'],
    [withProcess({ pid: 1 }), 'with process 1'],
    [withProcess({ pid: '4711' }), 'with a process id as text'],
    [withProcess({ identity: undefined }), 'with a process without identity'],
  ])('%j: %s', (text) => {
    expect(decodeRecord(text)).toBeUndefined();
  });
});

const place = { stateDirectory: '/state', commandFor: (verb: string) => `rolealerts local ${verb}` };

test('the printed commands work in a shell, also with spaces in paths', () => {
  const running = { ...record, kubectlPath: "/my programs/it's", kubeconfigPath: '/my state/kubeconfig' };
  const lines = renderStatus({ state: 'running', record: running }, place);
  expect(lines).toContain("  try:        '/my programs/it'\\''s' --kubeconfig '/my state/kubeconfig' get namespaces");
  expect(lines).toContain('  stop it:    rolealerts local down');
});

test.each([
  [{ state: 'broken', record, gone: ['etcd'] } as const, 'start a new one: rolealerts local up'],
  [{ state: 'stopped', logDirectory: '/state/control-plane' } as const, 'its logs: /state/control-plane'],
  [{ state: 'broken', record, gone: ['etcd'] } as const, 'The control plane is broken: etcd exited'],
])('the status %j says: %s', (status, sentence) => {
  expect(renderStatus(status, place).join('\n')).toContain(sentence);
});

/** On Linux both ways work; elsewhere only `ps`. */
const platforms = process.platform === 'linux' ? ['linux', 'darwin'] : [process.platform];

describe.each(platforms)('a process identified as on %s', (platform) => {
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
});
