// A cluster of one node in namespaces of its own: network, mounts and processes. It is the first process of its namespaces, so that everything
// that it started ends with it, and it ends with its standard input. It writes to its folder and to cgroups with its name; every other write is
// to a mount that only it sees. One JSON line on standard output says how to reach the cluster; then it obeys commands, a line each.
//   FOLDER NAME   images/*.tar in the folder are the images of the node
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, globSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { startControlPlane } from '../../../src/local/control-plane.ts';
import { thisMachine } from '../../../src/local/machine.ts';
import { startSupervision } from '../../../src/local/supervision.ts';
import { foundBinaries } from '../servers/found-binaries.ts';
import { startClusterDns } from './cluster-dns.ts';
import { clusterNetwork, nodeAddress, nodeName, volumeFolder, writeNodeFiles } from './node-files.ts';
import { findNodePrograms } from './node-programs.ts';

const [folder = '', name = ''] = process.argv.slice(2);
const run = (file: string, ...args: readonly string[]) => execFileSync(file, args, { encoding: 'utf8' });

/** Copies on write of what a node writes, and what the kubelet would set for the whole machine, as it wants it. */
function hideMachine(): void {
  run('mount', '-t', 'tmpfs', 'tmpfs', '/run');
  for (const each of ['lib', 'log']) {
    const [upper, work] = ['upper', 'work'].map((part) => join('/run', each, part));
    for (const made of [upper, work]) mkdirSync(made ?? '', { recursive: true });
    run(
      'mount',
      '-t',
      'overlay',
      '-o',
      `lowerdir=/var/${each},upperdir=${upper},workdir=${work}`,
      'overlay',
      `/var/${each}`,
    );
  }
  // The upper folder of a container cannot be on an overlay.
  mkdirSync('/var/lib/containerd', { recursive: true });
  run('mount', '-t', 'tmpfs', 'tmpfs', '/var/lib/containerd');
  for (const [path, value] of [
    ['vm/overcommit_memory', '1'],
    ['vm/panic_on_oom', '0'],
    ['kernel/panic', '10'],
    ['kernel/panic_on_oops', '1'],
  ] as const) {
    const file = join('/run', path.replace('/', '.'));
    writeFileSync(file, value);
    run('mount', '--bind', file, join('/proc/sys', path));
  }
}

/** The node has the address of one end of a pair of devices; not every kernel has devices of the kind `dummy`. */
function makeNetwork(): void {
  run('ip', 'link', 'set', 'lo', 'up');
  run('ip', 'link', 'add', 'node', 'type', 'veth', 'peer', 'name', 'outside');
  run('ip', 'address', 'add', `${nodeAddress}/24`, 'dev', 'node');
  for (const device of ['node', 'outside']) run('ip', 'link', 'set', device, 'up');
  run('ip', 'route', 'add', clusterNetwork.services, 'dev', 'node');
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
}

/** The kubelet makes the cgroups of pods in these. */
function makeCgroups(): void {
  const root = '/sys/fs/cgroup';
  if (existsSync(join(root, 'cgroup.controllers'))) {
    mkdirSync(join(root, name));
    return;
  }
  for (const controller of readdirSync(root).filter((each) => each !== 'unified')) {
    const own = join(root, controller, name);
    mkdirSync(own);
    if (controller !== 'cpuset') continue;
    for (const each of ['cpuset.cpus', 'cpuset.mems']) copyFileSync(join(root, controller, each), join(own, each));
  }
}

const machine = thisMachine(process);
hideMachine();
makeNetwork();
makeCgroups();
const { progress, binaries } = await foundBinaries();
const programs = await findNodePrograms(machine, progress);
const node = join(folder, 'node');
mkdirSync(node);
mkdirSync(volumeFolder, { recursive: true });
const supervision = startSupervision(machine, node);
const start = (program: string, file: string, args: readonly string[]) =>
  supervision.start({ name: program, file, args, logPath: join(folder, `${program}.log`) });
const dataDirectory = join(folder, 'control-plane');
const kubeconfigPath = join(folder, 'kubeconfig');
const files = writeNodeFiles(node, { kubeconfigPath, cgroup: name });

const starting = startControlPlane({ machine, binaries, dataDirectory, kubeconfigPath, nodeAddress });
await start('containerd', 'containerd', ['--config', files.containerd]);
for (let tries = 0; !existsSync('/run/containerd/containerd.sock'); tries += 1) {
  if (tries === 600) throw new Error('containerd does not listen');
  await new Promise((resolve) => {
    setTimeout(resolve, 100);
  });
}
for (const archive of globSync(join(folder, 'images', '*.tar'))) {
  run('ctr', '--namespace', 'k8s.io', 'images', 'import', archive);
}
const controlPlane = await starting;
startClusterDns(nodeAddress, controlPlane);
await start('kube-scheduler', programs['kube-scheduler'], [
  `--kubeconfig=${kubeconfigPath}`,
  '--leader-elect=false',
  '--secure-port=0',
]);
await start('kube-proxy', programs['kube-proxy'], [`--config=${files.kubeProxy}`, `--hostname-override=${nodeName}`]);
await start('kubelet', programs.kubelet, [
  `--config=${files.kubelet}`,
  `--kubeconfig=${kubeconfigPath}`,
  `--hostname-override=${nodeName}`,
  `--node-ip=${nodeAddress}`,
]);
const { url, certificateAuthority, adminToken } = controlPlane;
const { kubectl } = binaries;
console.log(JSON.stringify({ url, certificateAuthority, kubeconfigPath, kubectl, adminToken: adminToken.reveal() }));

const commands: Readonly<Record<string, () => Promise<void>>> = {
  'stop the API server': () => controlPlane.stopApiServer(),
  'start the API server': () => controlPlane.startApiServer(),
};
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => void commands[line]?.().then(() => console.log(JSON.stringify(line))));
lines.on('close', () => process.exit(0));
