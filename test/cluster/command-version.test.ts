// `rolealerts version` as a process with a real API server, without one, and with one that does not answer.
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { startProgram } from '../support/rigs/program.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

async function run(environment: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const { output, ended } = startProgram(['version', ...args], { environment });
  return { code: await ended, ...output };
}

const kubeconfigOf = (server: string) => ({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'c',
  clusters: [{ name: 'c', cluster: { server } }],
  users: [{ name: 'u', user: {} }],
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
});

describeWithControlPlane('the command version', (controlPlane) => {
  test('shows Kubernetes and the CRDs of the cluster', async () => {
    const { code, stdout, stderr } = await run({ KUBECONFIG: controlPlane.kubeconfigPath });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^cluster: {2}Kubernetes v1\.\d+/m);
    expect(stdout).toContain('\ncrds:     served with the schemas of this program\n');
  });

  test('prints JSON with a version for scripts', async () => {
    const { stdout } = await run({ KUBECONFIG: controlPlane.kubeconfigPath }, '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      apiVersion: 'cli.rolealerts.dev/v1',
      kind: 'VersionReport',
      cluster: { schemas: { rolealertpolicies: 'Same', clusterrolealertconnections: 'Same' } },
    });
  });

  test('asks no cluster with --client', async () => {
    const { code, stdout } = await run({ KUBECONFIG: '/nowhere' }, '--client');
    expect([code, stdout.split('\n').length]).toEqual([0, 5]);
  });

  test('says what a user without roles may not read', async () => {
    const kubeconfig = await controlPlane.impersonatedKubeconfig('stranger@example.net');
    const { code, stdout } = await run({ KUBECONFIG: kubeconfig });
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('operator: not known; you may not read its Deployment'),
    ]);
  });

  test('ends with 0 within seconds when the API server accepts and never answers', async () => {
    const mute = createServer();
    await once(mute.listen(0, '127.0.0.1'), 'listening');
    const { port } = mute.address() as AddressInfo;
    const file = join(await mkdtemp(join(tmpdir(), 'rolealerts-version-')), 'config');
    await writeFile(file, JSON.stringify(kubeconfigOf(`http://127.0.0.1:${port}`)));
    const { code, stdout } = await run({}, '--kubeconfig', file);
    mute.close();
    expect([code, stdout]).toEqual([0, expect.stringContaining('cluster:  no answer within 3 s\n')]);
  });

  test('ends with 64 for a kubeconfig that does not exist', async () => {
    expect((await run({}, '--kubeconfig', '/nowhere')).code).toBe(64);
  });
});
