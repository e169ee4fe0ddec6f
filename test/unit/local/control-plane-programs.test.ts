import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import {
  apiServerProgram,
  controllerManagerProgram,
  etcdProgram,
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

test('a private file is readable by its owner only, also where a public one was', async () => {
  const path = join(testMachine().directory, 'deep', 'kubeconfig');
  await writePrivateFile(path, 'one');
  writeFileSync(path, 'public');
  chmodSync(path, 0o644);
  await writePrivateFile(path, 'two');
  expect(readFileSync(path, 'utf8')).toBe('two');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
