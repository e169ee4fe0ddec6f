// Only the programs that a caller needs are fetched, the others when a caller first asks for them; and the screen says so.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { cacheDirectory } from '../../../src/local/binaries.ts';
import { findBinaries, findServers } from '../../../src/local/find-binaries.ts';
import { findKubectl } from '../../../src/local/kubectl.ts';
import { renderStep } from '../../../src/local/progress.ts';
import type { Release } from '../../../src/local/release-binaries.ts';
import { fakeGo } from '../../support/rigs/fake-go.ts';
import { allBinaries, testMachine, writeBinaries, type TestMachine } from '../../support/rigs/local-machine.ts';

const release: Release = { version: 'v0', archives: 'http://127.0.0.1:1', kubernetes: '', archiveSha512: {} };
const forDemo = { needsControllers: false, release };

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

function serversOf({ machine }: TestMachine) {
  const directory = cacheDirectory(machine);
  writeBinaries(directory, ['etcd', 'kube-apiserver']);
  const paths = { etcd: join(directory, 'etcd'), kubeApiServer: join(directory, 'kube-apiserver') };
  return { ...paths, kubeControllerManager: undefined, origin: 'here' };
}

describe('what a control plane needs', () => {
  test('is etcd and kube-apiserver for the demo; nothing else is built', async () => {
    const on = machineWithGo();
    const found = await findServers(on.machine, on.progress, forDemo);
    expect(found.kubeControllerManager).toBeUndefined();
    expect(readdirSync(cacheDirectory(on.machine)).sort()).toEqual(['etcd', 'kube-apiserver']);
    expect(on.builds()).toEqual([['kube-apiserver'], ['etcd/server']]);
  });

  test('is kube-controller-manager too, for a caller that asks for it; only the missing one is built', async () => {
    const on = machineWithGo();
    await findServers(on.machine, on.progress, forDemo);
    const found = await findServers(on.machine, on.progress, { needsControllers: true, release });
    expect(found.kubeControllerManager).toBe(join(cacheDirectory(on.machine), 'kube-controller-manager'));
    expect(on.builds()).toEqual([['kube-apiserver'], ['etcd/server'], ['kube-controller-manager']]);
  });

  test('is everything for the tests, at once', async () => {
    const on = machineWithGo();
    await findServers(on.machine, on.progress, forDemo);
    await findBinaries(on.machine, on.progress, release);
    expect(on.builds().at(-1)).toEqual(['kubectl', 'kube-controller-manager']);
    expect(readdirSync(cacheDirectory(on.machine)).sort()).toEqual([...allBinaries].sort());
  });

  test('includes kube-controller-manager in the demo when it is already there', async () => {
    const on = testMachine();
    writeBinaries(cacheDirectory(on.machine), allBinaries);
    const found = await findServers(on.machine, on.progress, forDemo);
    expect(found.kubeControllerManager).toBe(join(cacheDirectory(on.machine), 'kube-controller-manager'));
    expect(on.lines).toEqual([]);
  });

  test('leaves a running control plane its programs: what is there is not replaced', async () => {
    const on = machineWithGo();
    const { kubeApiServer } = serversOf(on);
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
    await expect(findServers(on.machine, on.progress, forDemo)).rejects.toThrow(
      /^A local control plane needs etcd and kube-apiserver\. Options:\n.*\n.*now: it lacks kube-apiserver\)/,
    );
  });
});

describe('the demo on a machine without programs', () => {
  const quick = { skipsOptimization: true };

  test('builds them, and kubectl, without optimizations into a folder of their own', async () => {
    const on = machineWithGo(quick);
    const servers = await findServers(on.machine, on.progress, forDemo);
    const directory = join(cacheDirectory(on.machine), 'unoptimized');
    expect(servers.kubeApiServer).toBe(join(directory, 'kube-apiserver'));
    expect(await findKubectl(on.machine, on.progress, servers, release)).toBe(join(directory, 'kubectl'));
    for (const call of callsOf(on.calls, 'build')) expect(call).toContain('-gcflags=all=-N -l');
    expect(on.lines).toContainEqual(expect.stringContaining('It usually takes about 4 minutes on two cores'));
    expect(on.lines).toContainEqual(expect.stringMatching(`^Built etcd and kube-apiserver in .*: ${directory}$`));
  });

  test('finds them the next time, and optimized programs rather than them', async () => {
    const on = machineWithGo(quick);
    const first = await findServers(on.machine, on.progress, forDemo);
    expect(await findServers(on.machine, on.progress, forDemo)).toEqual(first);
    expect(on.builds()).toHaveLength(2);
    writeBinaries(cacheDirectory(on.machine), ['kube-apiserver']);
    const { etcd, kubeApiServer } = await findServers(on.machine, on.progress, forDemo);
    expect([etcd, kubeApiServer]).toEqual([first.etcd, join(cacheDirectory(on.machine), 'kube-apiserver')]);
  });

  test('leaves them to no other caller: the tests and `local up` build optimized ones, which replace them', async () => {
    const on = machineWithGo(quick);
    await findServers(on.machine, on.progress, forDemo);
    const optimizing = { ...on.machine, skipsOptimization: false };
    const { kubeApiServer } = await findServers(optimizing, on.progress, forDemo);
    expect(kubeApiServer).toBe(join(cacheDirectory(on.machine), 'kube-apiserver'));
    expect(callsOf(on.calls, 'build').filter((call) => !call.includes('-gcflags'))).toHaveLength(2);
    expect(readdirSync(join(cacheDirectory(on.machine), 'unoptimized'))).toEqual([]);
  });
});

describe('kubectl', () => {
  test('is the one beside kube-apiserver', async () => {
    const on = testMachine();
    const servers = serversOf(on);
    writeBinaries(cacheDirectory(on.machine), ['kubectl']);
    expect(await findKubectl(on.machine, on.progress, servers, release)).toBe(
      join(cacheDirectory(on.machine), 'kubectl'),
    );
    expect(on.lines).toEqual([]);
  });

  test('is otherwise the one on the PATH, when it fits', async () => {
    const on = machineWithGo();
    on.addCommand('kubectl', `echo '{"clientVersion":{"gitVersion":"v1.35.4"}}'`);
    expect(await findKubectl(on.machine, on.progress, serversOf(on), release)).toBe(
      join(on.directory, 'commands', 'kubectl'),
    );
    expect(on.lines).toEqual([]);
    expect(on.builds()).toEqual([]);
  });

  test('is built otherwise, and the first line says why', async () => {
    const on = machineWithGo();
    on.addCommand('kubectl', `echo '{"clientVersion":{"gitVersion":"v1.32.4-dispatcher"}}'`);
    const path = await findKubectl(on.machine, on.progress, serversOf(on), release);
    expect(path).toBe(join(cacheDirectory(on.machine), 'kubectl'));
    expect(on.lines[0]).toBe(
      `${join(on.directory, 'commands', 'kubectl')} does not fit: it is v1.32.4-dispatcher, and kube-apiserver v1.36.3 needs 1.35 to 1.37`,
    );
    expect(on.builds()).toEqual([['kubectl']]);
  });

  test('is not fetched for a kube-apiserver that the fetched one does not fit', async () => {
    const on = machineWithGo();
    const assets = join(on.directory, 'assets');
    writeBinaries(assets, ['etcd', 'kube-apiserver'], 'v1.33.0');
    const servers = { ...serversOf(on), kubeApiServer: join(assets, 'kube-apiserver') };
    await expect(findKubectl(on.machine, on.progress, servers, release)).rejects.toThrow(
      'kubectl v1.36.3 does not fit either: it is v1.36.3, and kube-apiserver v1.33.0 needs 1.32 to 1.34',
    );
    expect(on.builds()).toEqual([]);
  });

  test('is an error with all options when there is no way to get it', async () => {
    const on = testMachine();
    await expect(findKubectl(on.machine, on.progress, serversOf(on), release)).rejects.toThrow(
      /^No kubectl fits\. Options besides one on the PATH that fits:\n {2}1\. set KUBEBUILDER_ASSETS/,
    );
    expect(on.lines[0]).toBe('There is no kubectl on the PATH');
  });

  test('is built once by two processes at the same time', async () => {
    const on = machineWithGo();
    const servers = serversOf(on);
    const found = await Promise.all([1, 2].map(() => findKubectl(on.machine, on.progress, servers, release)));
    expect(new Set(found).size).toBe(1);
    expect(on.builds()).toEqual([['kubectl']]);
    expect(on.lines).toContain('Another process is already fetching the control plane; waiting for it');
  });
});

describe('the screen', () => {
  test('says first what is fetched, and that it happens once; then why it is built, and how long that takes', async () => {
    const on = machineWithGo();
    await findServers(on.machine, on.progress, forDemo);
    expect(on.lines.slice(0, 4)).toEqual([
      `Fetching etcd and kube-apiserver into ${cacheDirectory(on.machine)}. This happens once.`,
      'Trying to download the official release first',
      'The download failed: There are no release binaries for linux-amd64',
      'Without a download, Go builds etcd and kube-apiserver from modules. ' +
        'It usually takes about 6 minutes on two cores, less if Go has compiled parts of it before.',
    ]);
    expect(on.steps.at(-1)).toBe('building etcd and kube-apiserver: 3/3');
  });

  test.each([
    ['one program', ['etcd', 'kube-apiserver', 'kubectl']],
    ['two programs', ['etcd', 'kube-apiserver']],
    ['four programs', []],
  ])('shows the step of a build of %s in one line of a narrow terminal', async (_, present) => {
    const on = machineWithGo();
    writeBinaries(cacheDirectory(on.machine), present);
    const names: string[] = [];
    const progress = { ...on.progress, advance: (step: { readonly name: string }) => names.push(step.name) };
    await findBinaries(on.machine, progress, release);
    const step = { name: names.at(-1) ?? '', unit: 'packages' as const };
    expect(renderStep(step, 2345, 2345).length).toBeLessThan(80);
  });
});
