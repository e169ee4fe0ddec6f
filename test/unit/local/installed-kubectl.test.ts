// Which kubectl of the PATH is used: one that fits kube-apiserver, and that answers.
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { findInstalledKubectl, parseKubernetesVersion, whyKubectlDoesNotFit } from '../../../src/local/kubectl.ts';
import { runCommand } from '../../../src/local/run-command.ts';
import { testMachine } from '../../support/rigs/local-machine.ts';

const server = 'v1.36.3';

describe('the version of kubectl', () => {
  test.each(['v1.35.0', 'v1.36.0', 'v1.36.9', 'v1.37.1', 'v1.36.1-gke.100', 'v1.36.1+k3s1', 'v1.35.2-eks-a1b2c3'])(
    'fits: %s',
    (version) => {
      expect(whyKubectlDoesNotFit(version, server)).toBeUndefined();
    },
  );

  test.each([
    ['v1.34.9', 'it is v1.34.9, and kube-apiserver v1.36.3 needs 1.35 to 1.37'],
    ['v1.38.0', 'it is v1.38.0, and kube-apiserver v1.36.3 needs 1.35 to 1.37'],
    ['v2.36.0', 'it is v2.36.0, and kube-apiserver v1.36.3 needs 1.35 to 1.37'],
    ['v0.0.0-master+$Format:%H$', 'it is v0.0.0-master+$Format:%H$, and kube-apiserver v1.36.3 needs 1.35 to 1.37'],
    ['v1.36.0-rc.1', 'it is the pre-release v1.36.0-rc.1, and kube-apiserver v1.36.3 needs 1.35 to 1.37'],
    [
      'v1.37.0-alpha.0.12+abc',
      'it is the pre-release v1.37.0-alpha.0.12+abc, and kube-apiserver v1.36.3 needs 1.35 to 1.37',
    ],
    ['v1.36.0-beta2', 'it is the pre-release v1.36.0-beta2, and kube-apiserver v1.36.3 needs 1.35 to 1.37'],
    ['', 'its version is unreadable, and kube-apiserver v1.36.3 needs 1.35 to 1.37'],
    ['v1.36', 'its version is unreadable, and kube-apiserver v1.36.3 needs 1.35 to 1.37'],
    ['latest', 'its version is unreadable, and kube-apiserver v1.36.3 needs 1.35 to 1.37'],
  ])('does not fit, with the reason: %s', (version, reason) => {
    expect(whyKubectlDoesNotFit(version, server)).toBe(reason);
  });

  test('is judged by numbers, not by text', () => {
    expect(whyKubectlDoesNotFit('v1.10.0', 'v1.9.0')).toBeUndefined();
    expect(parseKubernetesVersion(' v1.100.0\n')).toEqual({ major: 1, minor: 100, isPreRelease: false });
  });

  test('fits no kube-apiserver whose version is unknown', () => {
    expect(whyKubectlDoesNotFit('v1.36.3', '')).toBe('the version of kube-apiserver is unknown');
  });
});

describe('a kubectl on the PATH', () => {
  const version = (text: string) => `echo '{"clientVersion":{"gitVersion":"${text}"},"kustomizeVersion":"v5"}'`;

  test('is used by its absolute path when it fits', async () => {
    const on = testMachine();
    on.addCommand('kubectl', `[ "$*" = "version --client --output=json" ] || exit 1\n${version('v1.36.1')}`);
    const path = join(on.directory, 'commands', 'kubectl');
    expect(await findInstalledKubectl(on.machine, server)).toEqual({ path });
  });

  test.each([
    ['prints text', 'echo Client Version: v1.36.1'],
    ['prints a version of another type', `echo '{"clientVersion":{"gitVersion":136}}'`],
    ['fails', 'echo "no such flag" >&2; exit 1'],
  ])('is not used when it %s', async (_, script) => {
    const on = testMachine();
    on.addCommand('kubectl', script);
    expect(await findInstalledKubectl(on.machine, server)).toEqual({
      whyNot: expect.stringContaining('does not fit: its version is unreadable') as string,
    });
  });

  test('is not used when it cannot be run', async () => {
    const on = testMachine();
    on.addCommand('kubectl', '');
    chmodSync(join(on.directory, 'commands', 'kubectl'), 0o644);
    expect(await findInstalledKubectl(on.machine, server)).toEqual({ whyNot: 'There is no kubectl on the PATH' });
  });

  test('is searched in absolute folders only, and a folder of that name is passed over', async () => {
    const on = testMachine();
    mkdirSync(join(on.directory, 'first', 'kubectl'), { recursive: true });
    on.addCommand('kubectl', version('v1.36.1'));
    const path = `.:relative::${join(on.directory, 'first')}:${join(on.directory, 'commands')}`;
    const machine = { ...on.machine, environment: { PATH: path } };
    expect(await findInstalledKubectl(machine, server)).toEqual({ path: join(on.directory, 'commands', 'kubectl') });
  });

  test('that hangs is given up, and its children end with it', async () => {
    const on = testMachine();
    const marker = `300.${process.pid}1`;
    on.addCommand('kubectl', `/bin/sleep ${marker}; true`);
    expect(await findInstalledKubectl(on.machine, server, 200)).toEqual({
      whyNot: expect.stringContaining('does not fit: it did not print its version within 0.2 s') as string,
    });
    const { stdout } = await runCommand('ps', ['-ww', '-eo', 'args='], {
      environment: process.env,
      deadlineMs: 300_000,
    });
    expect(stdout.split('\n').filter((line) => line.includes(marker) && !line.includes('defunct'))).toEqual([]);
  });
});
