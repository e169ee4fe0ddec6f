import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { SecretText } from '../../../src/lib/secret-text.ts';
import {
  apiServerProgram,
  controllerManagerProgram,
  etcdProgram,
  renderKubeconfig,
  writePrivateFile,
} from '../../../src/local/control-plane-programs.ts';
import { testMachine } from '../../support/rigs/local-machine.ts';

const facts = {
  binaries: {
    etcd: '/bin/etcd',
    kubeApiServer: '/bin/kube-apiserver',
    kubeControllerManager: '/bin/kube-controller-manager',
    origin: 'here',
  },
  dataDirectory: '/data',
  kubeconfigPath: '/data/kubeconfig',
  ports: { apiServer: 1001, etcd: 1002, etcdPeer: 1003 },
};

test('every address is on loopback', () => {
  const args = [...etcdProgram(facts).args, ...apiServerProgram(facts).args];
  const addresses = args.flatMap((arg) => arg.match(/https?:\/\/[^,/]+|(?<=-address=).+/g) ?? []);
  const listening = addresses.filter((address) => !address.includes('kubernetes.default.svc'));
  expect(listening.length).toBeGreaterThanOrEqual(8);
  for (const address of listening) expect(address).toMatch(/^(http:\/\/)?127\.0\.0\.1(:\d+)?$/);
  expect(controllerManagerProgram(facts)?.args).toContain('--secure-port=0');
});

test('the API server authorizes by RBAC and keeps its default admission, except for service accounts of pods', () => {
  const { args } = apiServerProgram(facts);
  expect(args).toContain('--authorization-mode=RBAC');
  expect(args.filter((arg) => arg.includes('admission'))).toEqual(['--disable-admission-plugins=ServiceAccount']);
});

test('with nodes the API server is reached at their address and gives tokens to pods, and every controller runs', () => {
  const withNodes = { ...facts, nodeAddress: '172.30.0.1' };
  const { args } = apiServerProgram(withNodes);
  expect(args).toContain('--advertise-address=172.30.0.1');
  expect(args.filter((arg) => /disable-admission|endpoint-reconciler/.test(arg))).toEqual([]);
  const controllerManager = controllerManagerProgram(withNodes)?.args ?? [];
  expect(controllerManager).toContain('--service-account-private-key-file=/data/service-account.key');
  expect(controllerManager.filter((arg) => arg.startsWith('--controllers'))).toEqual([]);
});

test('without kube-controller-manager there is no such program', () => {
  const binaries = { ...facts.binaries, kubeControllerManager: undefined };
  expect(controllerManagerProgram({ ...facts, binaries })).toBeUndefined();
});

test('a kubeconfig holds the authority and the token, and never turns verification off', () => {
  const access = { url: 'https://127.0.0.1:1', certificateAuthority: 'PEM', token: new SecretText('s3cret') };
  const text = renderKubeconfig(access);
  const config = parse(text) as { clusters: { cluster: object }[]; users: { user: object }[] };
  expect(config.clusters[0]?.cluster).toEqual({
    server: 'https://127.0.0.1:1',
    'certificate-authority-data': Buffer.from('PEM').toString('base64'),
  });
  expect(config.users[0]?.user).toEqual({ token: 's3cret' });
  expect(text).not.toContain('insecure');
});

test('a private file is readable by its owner only, also where a public one was', async () => {
  const path = join(testMachine().directory, 'deep', 'kubeconfig');
  await writePrivateFile(path, 'one');
  writeFileSync(path, 'public');
  chmodSync(path, 0o644);
  await writePrivateFile(path, 'two');
  expect(readFileSync(path, 'utf8')).toBe('two');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
