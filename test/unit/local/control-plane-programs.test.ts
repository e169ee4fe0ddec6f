import { expect, test } from 'vitest';

import { apiServerProgram, controllerManagerProgram, etcdProgram } from '../../../src/local/control-plane-programs.ts';

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
