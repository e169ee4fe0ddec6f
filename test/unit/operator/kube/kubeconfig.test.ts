// Which kubeconfig is used, and which are rejected.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';

import { UsageError } from '../../../../src/lib/command-errors.ts';
import { kubeconfigLoader, loadKubeconfig } from '../../../../src/operator/kube/kubeconfig.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rolealerts-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

function write(
  name: string,
  server: string,
  more: { cluster?: object; context?: string | null; prefix?: string } = {},
): string {
  const { cluster = {}, context = 'x', prefix = '' } = more;
  const path = join(directory, name);
  mkdirSync(join(path, '..'), { recursive: true });
  const document = {
    clusters: [{ name: `${prefix}c`, cluster: { server, ...cluster } }],
    users: [{ name: `${prefix}u`, user: {} }],
    contexts: [{ name: `${prefix}x`, context: { cluster: `${prefix}c`, user: `${prefix}u` } }],
    ...(context !== null && { 'current-context': `${prefix}${context}` }),
  };
  writeFileSync(path, stringify(document));
  return path;
}

const serverOf = (source: Parameters<typeof loadKubeconfig>[0]) => loadKubeconfig(source).getCurrentCluster()?.server;

function errorFromResponse(source: Parameters<typeof loadKubeconfig>[0]): string {
  try {
    loadKubeconfig(source);
    return 'nothing was refused';
  } catch (error) {
    return error instanceof UsageError ? error.message : String(error);
  }
}

describe('the kubeconfig that is used', () => {
  it('is that of the flag, then KUBECONFIG, then the Pod’s, then the one in the home directory', () => {
    const path = write('named', 'https://named');
    const environment: Record<string, string> = { HOME: directory };
    write('.kube/config', 'https://home');
    expect(serverOf({ environment })).toBe('https://home');

    writeFileSync(join(directory, 'token'), 't');
    environment['KUBERNETES_SERVICE_HOST'] = 'fd00::1';
    const ofPod = loadKubeconfig({ environment, serviceAccountDirectory: directory }).getCurrentCluster();
    expect(ofPod).toMatchObject({ server: 'https://[fd00::1]:443', skipTLSVerify: false });

    environment['KUBECONFIG'] = write('listed', 'https://listed');
    expect(serverOf({ environment, serviceAccountDirectory: directory })).toBe('https://listed');
    expect(serverOf({ path, environment, serviceAccountDirectory: directory })).toBe('https://named');
  });

  it('may be several files: the first definition wins, missing files are skipped', () => {
    const files = [
      join(directory, 'absent'),
      write('first', 'https://first', { context: null }),
      write('second', 'https://second'),
      write('third', 'https://third', { prefix: 'other-' }),
    ];
    const config = loadKubeconfig({ environment: { KUBECONFIG: files.join(delimiter) } });
    expect(config.getCurrentCluster()?.server).toBe('https://first');
    expect(config.clusters.map(({ server }) => server)).toEqual(['https://first', 'https://third']);
  });
});

describe('a loader', () => {
  it('reads a pipe once, which gives nothing after that', () => {
    const pipe = join(directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const writer = spawn('sh', [
      '-c',
      'cat "$1" > "$2"; while :; do : > "$2"; done',
      '-',
      write('named', 'https://named'),
      pipe,
    ]);
    try {
      const load = kubeconfigLoader({ path: pipe, environment: {} });
      expect([load(), load()].map((config) => config.getCurrentCluster()?.server)).toEqual([
        'https://named',
        'https://named',
      ]);
    } finally {
      writer.kill();
    }
  });
});

describe('a kubeconfig is rejected with a message', () => {
  it('when there is none', () => {
    expect(errorFromResponse({ environment: {} })).toMatch(/pass --kubeconfig, set KUBECONFIG/);
  });

  it('when the given one is missing or invalid', () => {
    expect(errorFromResponse({ path: join(directory, 'absent'), environment: {} })).toMatch(/cannot be used: .*ENOENT/);
    writeFileSync(join(directory, 'broken'), '{');
    expect(errorFromResponse({ path: join(directory, 'broken'), environment: {} })).toMatch(
      /^The kubeconfig cannot be used/,
    );
    writeFileSync(join(directory, 'empty'), '');
    expect(errorFromResponse({ path: join(directory, 'empty'), environment: {} })).toMatch(/^The kubeconfig/);
  });

  it('when KUBECONFIG names only missing files, also where another cluster is configured', () => {
    write('.kube/config', 'https://home');
    writeFileSync(join(directory, 'token'), 't');
    const elsewhere = { HOME: directory, KUBERNETES_SERVICE_HOST: '10.0.0.1' };
    const errorFor = (KUBECONFIG: string) =>
      errorFromResponse({ environment: { ...elsewhere, KUBECONFIG }, serviceAccountDirectory: directory });
    expect(errorFor('/nope')).toBe('KUBECONFIG names a file that does not exist: /nope');
    expect(errorFor(['/nope', '', '/no/other'].join(delimiter))).toBe(
      'KUBECONFIG names only files that do not exist: /nope, /no/other',
    );
    expect(errorFor(delimiter)).toBe('nothing was refused');
  });

  it('when it has no current context', () => {
    expect(errorFromResponse({ path: write('a', 'https://x', { context: 'absent' }), environment: {} })).toMatch(
      /no current context/,
    );
  });

  it('when it has a proxy', () => {
    const path = write('a', 'https://x', { cluster: { 'proxy-url': 'http://proxy' } });
    expect(errorFromResponse({ path, environment: {} })).toMatch(/proxies are not supported/);
  });
});
