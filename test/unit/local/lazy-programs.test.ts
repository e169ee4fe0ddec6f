// Only the programs that a caller needs are fetched, the others when a caller first asks for them; and the screen says so.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { cacheDirectory } from '../../../src/local/binaries.ts';
import { findBinaries, findServers } from '../../../src/local/find-binaries.ts';
import type { Release } from '../../../src/local/release-binaries.ts';
import { fakeGo } from '../../support/rigs/fake-go.ts';
import { allBinaries, testMachine, writeBinaries } from '../../support/rigs/local-machine.ts';

const release: Release = { version: 'v0', archives: 'http://127.0.0.1:1', kubernetes: '', archiveSha512: {} };

/** A machine with Go, whose build commands are recorded. */
function machineWithGo(overrides: Parameters<typeof testMachine>[0] = {}) {
  const on = testMachine(overrides);
  const calls = join(on.directory, 'calls');
  on.addCommand('go', `echo "GOMAXPROCS=$GOMAXPROCS $*" >> "${calls}"\n${fakeGo}`);
  /** The programs that each build made, by the last elements of their packages. */
  const builds = () =>
    callsOf(calls, 'build').map((call) => call.match(/(?<=\/)(kube[a-z-]*|etcd\/server)(?=\/v3|$| )/g));
  return { ...on, calls, builds };
}

function callsOf(path: string, verb: string): readonly string[] {
  return existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line.includes(` ${verb} `))
    : [];
}

describe('what a control plane needs', () => {
  test('is etcd and kube-apiserver for the demo; nothing else is built', async () => {
    const on = machineWithGo();
    const found = await findServers(on.machine, on.progress, release);
    expect(found.kubeControllerManager).toBeUndefined();
    expect(readdirSync(cacheDirectory(on.machine)).sort()).toEqual(['etcd', 'kube-apiserver']);
    expect(on.builds()).toEqual([['kube-apiserver'], ['etcd/server']]);
  });

  test('is everything for the tests, at once', async () => {
    const on = machineWithGo();
    await findServers(on.machine, on.progress, release);
    await findBinaries(on.machine, on.progress, release);
    expect(on.builds().at(-1)).toEqual(['kubectl', 'kube-controller-manager']);
    expect(readdirSync(cacheDirectory(on.machine)).sort()).toEqual([...allBinaries].sort());
  });

  test('includes kube-controller-manager in the demo when it is already there', async () => {
    const on = testMachine();
    writeBinaries(cacheDirectory(on.machine), allBinaries);
    const found = await findServers(on.machine, on.progress, release);
    expect(found.kubeControllerManager).toBe(join(cacheDirectory(on.machine), 'kube-controller-manager'));
    expect(on.lines).toEqual([]);
  });

  test('leaves a running control plane its programs: what is there is not replaced', async () => {
    const on = machineWithGo();
    writeBinaries(cacheDirectory(on.machine), ['etcd', 'kube-apiserver']);
    const kubeApiServer = join(cacheDirectory(on.machine), 'kube-apiserver');
    const before = readFileSync(kubeApiServer, 'utf8');
    await findBinaries(on.machine, on.progress, release);
    expect(readFileSync(kubeApiServer, 'utf8')).toBe(before);
    expect(on.builds()).toEqual([['kubectl', 'kube-controller-manager']]);
  });

  test('is met without kube-controller-manager when there is no way to get it, and a line says so', async () => {
    const on = testMachine();
    writeBinaries(cacheDirectory(on.machine), ['etcd', 'kube-apiserver', 'kubectl']);
    const found = await findBinaries(on.machine, on.progress, release);
    expect(found.kubeControllerManager).toBeUndefined();
    expect(on.lines.at(-1)).toBe(
      'There is no kube-controller-manager: deleted namespaces will stay Terminating, and the roles view, edit and admin will be empty',
    );
  });

  test('names the programs that are missing when there is no way to get them', async () => {
    const on = testMachine();
    writeBinaries(cacheDirectory(on.machine), ['etcd']);
    await expect(findServers(on.machine, on.progress, release)).rejects.toThrow(
      /^A local control plane needs etcd and kube-apiserver\. Options:\n.*\n.*now: it lacks kube-apiserver\)/,
    );
  });
});

test('two processes at the same time build once', async () => {
  const on = machineWithGo();
  const found = await Promise.all([1, 2].map(() => findServers(on.machine, on.progress, release)));
  expect(found[0]).toEqual(found[1]);
  expect(on.builds()).toEqual([['kube-apiserver'], ['etcd/server']]);
  expect(on.lines).toContain('Another process is already fetching the control plane; waiting for it');
});

describe('the screen', () => {
  test('says first what is fetched, and that it happens once; then why it is built, and how long that takes', async () => {
    const on = machineWithGo();
    await findServers(on.machine, on.progress, release);
    expect(on.lines.slice(0, 4)).toEqual([
      `Fetching etcd and kube-apiserver into ${cacheDirectory(on.machine)}. This happens once.`,
      'Trying to download the official release first',
      'The download failed: There are no release binaries for linux-amd64',
      'Without a download, Go builds etcd and kube-apiserver from modules. ' +
        'It usually takes about 6 minutes on two cores, less if Go has compiled parts of it before.',
    ]);
  });
});
