// A test that is killed leaves no process, mount, network, cgroup, file or setting of its cluster behind.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, inject, test } from 'vitest';

import { until } from '../support/rigs/until.ts';

const provided = inject('pods');
const whyNot = 'whyNot' in provided ? provided.whyNot : undefined;

/** What a kubelet, a container runtime and their plugins change on a machine. */
function machineState() {
  const folders = ['/run/netns', '/run/containerd', '/var/lib/cni', '/var/lib/containerd', '/var/lib/kubelet'];
  const logs = ['/var/log/pods', '/var/log/containers', '/usr/libexec/kubernetes'];
  const settings = [
    'vm/overcommit_memory',
    'vm/panic_on_oom',
    'kernel/panic',
    'kernel/panic_on_oops',
    'net/ipv4/ip_forward',
  ];
  const output = (...command: readonly [string, ...string[]]) =>
    execFileSync(command[0], command.slice(1), { encoding: 'utf8' });
  return {
    folders: [...folders, ...logs].filter((path) => existsSync(path)),
    settings: settings.map((path) => readFileSync(join('/proc/sys', path), 'utf8')),
    links: output('/sbin/ip', '-brief', 'link'),
    routes: output('/sbin/ip', 'route'),
    rules: output('/usr/sbin/nft', 'list', 'tables'),
  };
}

/** Undefined when the process has ended. */
function readProcess(directory: string): { command: string; cgroups: string; network: string } | undefined {
  const read = (name: string) => readFileSync(join(directory, name), 'utf8');
  try {
    return { command: read('cmdline'), cgroups: read('cgroup'), network: readlinkSync(join(directory, 'ns/net')) };
  } catch {
    return undefined;
  }
}

function leftOf(name: string, folder: string, network: string): readonly string[] {
  const processes = globSync('/proc/[0-9]*').filter((directory) => {
    const found = readProcess(directory);
    return found !== undefined && (found.network === network || (found.command + found.cgroups).includes(name));
  });
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return [
    ...processes,
    ...mounts.filter((line) => line.includes(name)),
    ...globSync(`/sys/fs/cgroup/{,*/}${name}`),
    ...[folder].filter((path) => existsSync(path)),
  ];
}

test.skipIf(whyNot !== undefined)(
  `a killed test leaves nothing${whyNot === undefined ? '' : `: ${whyNot}`}`,
  async () => {
    const images = 'images' in provided ? provided.images : [];
    const before = machineState();
    const program = fileURLToPath(new URL('../support/pods/owner-program.ts', import.meta.url));
    const owner = spawn(process.execPath, [program, ...images], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(owner.stdout, 'data')) as [Buffer];
    const { name, folder, pid } = JSON.parse(line.toString()) as { name: string; folder: string; pid: number };
    const network = readlinkSync(`/proc/${pid}/ns/net`);
    const kubectl = (...args: readonly string[]) =>
      execFileSync(join(folder, 'kubectl'), ['--kubeconfig', join(folder, 'kubeconfig'), ...args], {
        encoding: 'utf8',
      });
    kubectl('create', 'deployment', 'pause', '--image=rolealerts-pause:1');
    kubectl('wait', '--for=condition=Available', 'deployment/pause', '--timeout=5m');
    expect(leftOf(name, folder, network).length).toBeGreaterThan(10);
    expect(machineState()).toEqual(before);

    owner.kill('SIGKILL');
    await until(() => leftOf(name, folder, network).length === 0, 'nothing is left');
    expect(machineState()).toEqual(before);
  },
);
