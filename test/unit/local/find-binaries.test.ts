import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';

import { afterEach, describe, expect, test } from 'vitest';

import { type RunningServer, startHttpServer } from '../../../src/lib/http-server.ts';
import { cacheDirectory, kubernetesVersion } from '../../../src/local/binaries.ts';
import { findBinaries, findServers } from '../../../src/local/find-binaries.ts';
import {
  downloadFile,
  officialRelease,
  readPublishedChecksum,
  type Release,
} from '../../../src/local/release-binaries.ts';
import { allBinaries, testMachine, type TestMachine, writeBinaries } from '../../support/rigs/local-machine.ts';

/** A shell script in the place of Go: it builds programs that print their version. */
const fakeGo = `
case "$1" in
  version) echo go version ;;
  build)
    while [ "$1" != "-o" ]; do shift; done
    output=$2; shift 2
    for package in "$@"; do
      case "$output" in */) file="$output\${package##*/}" ;; *) file="$output" ;; esac
      echo '#!/bin/sh' > "$file"; echo 'echo Kubernetes v1.36.3' >> "$file"; chmod +x "$file"
    done ;;
esac`;

const servers: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop(0)));
});

/** A release whose archive and kube-controller-manager are served; `broken` paths answer 404. */
async function serveRelease({ directory }: TestMachine, broken: Set<string> = new Set()) {
  const source = join(directory, 'source');
  writeBinaries(join(source, 'controller-tools', 'envtest'), ['etcd', 'kube-apiserver', 'kubectl'], 'v1.36.2');
  writeBinaries(source, ['kube-controller-manager'], 'v1.36.2');
  execFileSync('tar', ['-czf', join(source, 'archive'), '-C', source, 'controller-tools']);
  const archive = readFileSync(join(source, 'archive'));
  const manager = readFileSync(join(source, 'kube-controller-manager'));
  const files: Record<string, Buffer> = {
    '/a/envtest-v1.36.2/envtest-v1.36.2-linux-amd64.tar.gz': archive,
    '/k/v1.36.2/bin/linux/amd64/kube-controller-manager': manager,
    '/k/v1.36.2/bin/linux/amd64/kube-controller-manager.sha256': Buffer.from(hash('sha256', manager)),
  };
  const requests: string[] = [];
  const url = await serve((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const body = broken.has(path) ? undefined : files[path];
    if (body) response.end(body);
    else response.writeHead(404).end();
  });
  const release: Release = {
    version: 'v1.36.2',
    archives: `${url}/a`,
    kubernetes: `${url}/k`,
    archiveSha512: { 'linux-amd64': hash('sha512', archive) },
  };
  return { release, requests };
}

async function serve(listener: RequestListener): Promise<string> {
  const server = await startHttpServer({ host: '127.0.0.1', port: 0 }, listener);
  servers.push(server);
  return server.url;
}

function hash(algorithm: string, content: Buffer): string {
  return createHash(algorithm).update(content).digest('hex');
}

const noRelease: Release = { version: 'v0', archives: 'http://127.0.0.1:1', kubernetes: '', archiveSha512: {} };

/** A machine with these programs in KUBEBUILDER_ASSETS. */
function machineWithAssets(names: readonly string[]) {
  const { machine, ...on } = testMachine();
  const assets = join(on.directory, 'assets');
  writeBinaries(assets, names);
  return {
    ...on,
    assets,
    machine: { ...machine, environment: { ...machine.environment, KUBEBUILDER_ASSETS: assets } },
  };
}

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

describe('the binaries of a control plane are searched', () => {
  test('first in KUBEBUILDER_ASSETS', async () => {
    const { machine, progress, assets } = machineWithAssets(allBinaries);
    writeBinaries(cacheDirectory(machine), allBinaries);
    const found = await findBinaries(machine, progress, noRelease);
    expect(found.etcd).toBe(join(assets, 'etcd'));
    expect(found.kubeControllerManager).toBe(join(assets, 'kube-controller-manager'));
  });

  test('then in the cache folder, and in the official release, which fills it', async () => {
    const on = testMachine();
    const { release, requests } = await serveRelease(on);
    const first = await findBinaries(on.machine, on.progress, release);
    expect(execFileSync(first.kubeApiServer, { encoding: 'utf8' })).toBe('Kubernetes v1.36.2\n');
    expect(execFileSync(first.kubeControllerManager ?? '', { encoding: 'utf8' })).toBe('Kubernetes v1.36.2\n');
    expect(existsSync(join(cacheDirectory(on.machine), 'archive.tar.gz'))).toBe(false);
    await findBinaries(on.machine, on.progress, release);
    expect(requests).toHaveLength(3);
    expect(on.lines.at(-1)).toMatch(/^Downloaded etcd, kube-apiserver, kubectl and kube-controller-manager in .+s: /);
  });

  test('and when there is no way, one message lists them all', async () => {
    const { machine, progress } = testMachine();
    const failure: unknown = await findBinaries(machine, progress, noRelease).catch((error: unknown) => error);
    expect(
      String(failure)
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual([
      'LocalError: A local control plane needs etcd, kube-apiserver, kubectl and kube-controller-manager. Options:',
      '1. set KUBEBUILDER_ASSETS to a folder that holds them (now: KUBEBUILDER_ASSETS is not set)',
      `2. put them into ${cacheDirectory(machine)}/ (now: not found)`,
      '3. allow the download from the official releases (now: There are no release binaries for linux-amd64)',
      '4. install Go (https://go.dev/dl) to build them (now: Go is not installed)',
    ]);
  });
});

describe('what is not whole is not used', () => {
  test('a folder in KUBEBUILDER_ASSETS that lacks a program is passed over', async () => {
    const { machine, progress } = machineWithAssets(['etcd', 'kubectl']);
    await expect(findBinaries(machine, progress, noRelease)).rejects.toThrow('lacks kube-apiserver');
  });

  test('a download that broke off continues where it was', async () => {
    const on = testMachine();
    const broken = new Set(['/k/v1.36.2/bin/linux/amd64/kube-controller-manager']);
    const { release, requests } = await serveRelease(on, broken);
    await expect(findBinaries(on.machine, on.progress, release)).rejects.toThrow('responded with 404');
    expect(existsSync(cacheDirectory(on.machine))).toBe(false);
    broken.clear();
    await findBinaries(on.machine, on.progress, release);
    expect(requests.filter((path) => path.endsWith('.tar.gz'))).toHaveLength(1);
  });

  test('an archive with another checksum makes way for Go', async () => {
    const on = testMachine();
    const { release } = await serveRelease(on);
    on.addCommand('go', fakeGo);
    await findBinaries(on.machine, on.progress, { ...release, archiveSha512: { 'linux-amd64': '0'.repeat(128) } });
    expect(on.lines.at(-3)).toMatch(/^The download failed: .* does not have the expected sha512 checksum$/);
    expect(on.lines.at(-2)).toContain('Without a download, Go builds etcd');
    expect(on.lines.at(-1)).toMatch(/^Built etcd/);
  });

  test('a build that fails says what Go said last', async () => {
    const { machine, progress, addCommand } = testMachine();
    addCommand('go', '[ "$1" = version ] || { echo "go: no space left" >&2; exit 1; }');
    await expect(findBinaries(machine, progress, noRelease)).rejects.toThrow('go build failed: go: no space left');
  });
});

test('kube-controller-manager, which the usual test archives lack, is done without, and it is said', async () => {
  const { machine, progress, lines } = machineWithAssets(['etcd', 'kube-apiserver', 'kubectl']);
  const found = await findBinaries(machine, progress, noRelease);
  expect(found.kubeControllerManager).toBeUndefined();
  expect(lines).toEqual([
    expect.stringMatching(
      /: deleted namespaces will stay Terminating, and the roles view, edit and admin will be empty$/,
    ),
  ]);
});

test('the cache folder follows XDG_CACHE_HOME', () => {
  const { machine } = testMachine({ environment: { XDG_CACHE_HOME: '/cache' } });
  expect(cacheDirectory(machine)).toBe('/cache/rolealerts/control-plane/v1.36.3-linux-amd64');
});

test('those who search at the same time wait for one build and use it', async () => {
  const { machine, progress, directory, lines, addCommand } = testMachine();
  const calls = join(directory, 'calls');
  addCommand('go', `echo "$1" >> "${calls}"\n${fakeGo}`);
  const found = await Promise.all([1, 2, 3].map(() => findBinaries(machine, progress, noRelease)));
  expect(new Set(found.map((binaries) => binaries.etcd)).size).toBe(1);
  expect(readFileSync(calls, 'utf8').trim().split('\n')).toEqual(['version', 'build', 'build']);
  expect(lines).toContain('Another process is already fetching the control plane; waiting for it');
});

describe('what a control plane needs', () => {
  test('is etcd and kube-apiserver for the demo; nothing else is built', async () => {
    const on = machineWithGo();
    const found = await findServers(on.machine, on.progress, noRelease);
    expect(found.kubeControllerManager).toBeUndefined();
    expect(readdirSync(cacheDirectory(on.machine)).sort()).toEqual(['etcd', 'kube-apiserver']);
    expect(on.builds()).toEqual([['kube-apiserver'], ['etcd/server']]);
  });

  test('includes kube-controller-manager in the demo when it is already there', async () => {
    const on = testMachine();
    writeBinaries(cacheDirectory(on.machine), allBinaries);
    const found = await findServers(on.machine, on.progress, noRelease);
    expect(found.kubeControllerManager).toBe(join(cacheDirectory(on.machine), 'kube-controller-manager'));
    expect(on.lines).toEqual([]);
  });

  test('leaves a running control plane its programs: what is there is not replaced', async () => {
    const on = machineWithGo();
    writeBinaries(cacheDirectory(on.machine), ['etcd', 'kube-apiserver']);
    const kubeApiServer = join(cacheDirectory(on.machine), 'kube-apiserver');
    const before = readFileSync(kubeApiServer, 'utf8');
    await findBinaries(on.machine, on.progress, noRelease);
    expect(readFileSync(kubeApiServer, 'utf8')).toBe(before);
    expect(on.builds()).toEqual([['kubectl', 'kube-controller-manager']]);
  });
});

const directory = new URL('../../../src/local/control-plane/', import.meta.url);
const goMod = readFileSync(new URL('go.mod', directory), 'utf8');
const goSum = readFileSync(new URL('go.sum', directory), 'utf8');

test('go.mod requires the version that the cache folder is named after', () => {
  expect(goMod).toContain(`k8s.io/kubernetes ${kubernetesVersion}`);
  expect(goSum).toContain(`k8s.io/kubernetes ${kubernetesVersion} h1:`);
});

test('the release that is downloaded has the same minor version, and a whole checksum for every platform', () => {
  const minor = kubernetesVersion.replace(/\.\d+$/, '.');
  expect(officialRelease.version.startsWith(minor)).toBe(true);
  for (const hex of Object.values(officialRelease.archiveSha512)) expect(hex).toMatch(/^[0-9a-f]{128}$/);
  expect(Object.keys(officialRelease.archiveSha512)).toContain('linux-amd64');
});

const content = Buffer.from('a program'.repeat(10_000));
const sha256 = hash('sha256', content);

const whole = (_: IncomingMessage, response: ServerResponse) => {
  response.setHeader('content-length', content.length);
  response.end(content);
};

function downloadTo(directory: string, url: string) {
  const path = join(directory, 'program');
  return {
    path,
    download: { url: `${url}/program`, checksum: { algorithm: 'sha256' as const, hex: sha256 }, path },
  };
}

describe('a download', () => {
  test('follows a redirect, as release sites send one, and is there whole', async () => {
    const { machine, directory } = testMachine();
    const url = await serve((request, response) => {
      if (request.url === '/elsewhere') whole(request, response);
      else response.writeHead(302, { location: '/elsewhere' }).end();
    });
    const { path, download } = downloadTo(directory, url);
    await downloadFile(machine, download);
    expect(readFileSync(path).equals(content)).toBe(true);
  });

  test('that is cut off is refused and leaves no file', async () => {
    const { machine, directory } = testMachine();
    const url = await serve((_, response) => {
      response.setHeader('content-length', content.length);
      response.write(content.subarray(0, 1000), () => response.destroy());
    });
    const { download } = downloadTo(directory, url);
    const before = readdirSync(directory);
    await expect(downloadFile(machine, download)).rejects.toThrow('Cannot download');
    expect(readdirSync(directory)).toEqual(before);
  });
});

describe('a published checksum', () => {
  test.each([`${sha256}\n`, `${sha256.toUpperCase()}  kubectl\n`])('is the first word of %j', async (body) => {
    const { machine } = testMachine();
    const url = await serve((_, response) => response.end(body));
    const checksum = await readPublishedChecksum(machine, url, 'sha256');
    expect(checksum).toEqual({ algorithm: 'sha256', hex: sha256 });
  });

  test.each(['<html>not found</html>', sha256.slice(1), 'z'.repeat(64)])('is not %j', async (body) => {
    const { machine } = testMachine();
    const url = await serve((_, response) => response.end(body));
    await expect(readPublishedChecksum(machine, url, 'sha256')).rejects.toThrow('does not contain a sha256 checksum');
  });
});
