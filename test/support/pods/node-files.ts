// What the programs of the node read: as few settings as they need to run without systemd, in a network and cgroups of their own.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { stringify } from 'yaml';

export const nodeName = 'node-a';
export const nodeAddress = '172.30.0.1';
export const clusterNetwork = { services: '10.0.0.0/24', pods: '10.244.0.0/24' };
/** For a PersistentVolume. */
export const volumeFolder = '/var/lib/rolealerts-volume';
export const pauseImage = 'rolealerts-pause:1';

interface NodeFiles {
  readonly containerd: string;
  readonly kubelet: string;
  readonly kubeProxy: string;
}

export function writeNodeFiles(
  folder: string,
  { kubeconfigPath, cgroup }: { readonly kubeconfigPath: string; readonly cgroup: string },
): NodeFiles {
  const write = (name: string, content: string | object) => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === 'string' ? content : stringify(content));
    return path;
  };
  const cni = join(folder, 'cni');
  mkdirSync(cni);
  write('cni/10-pods.conflist', JSON.stringify(podNetwork));
  return {
    containerd: write('containerd.toml', containerdConfiguration(cni)),
    kubelet: write('kubelet.yaml', {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      failCgroupV1: false,
      cgroupDriver: 'cgroupfs',
      // One a kubelet: another one with the same root would take these pods for orphans.
      cgroupRoot: `/${cgroup}`,
      enforceNodeAllocatable: [],
      failSwapOn: false,
      containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
      authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
      authorization: { mode: 'AlwaysAllow' },
      address: nodeAddress,
      readOnlyPort: 0,
      healthzPort: 0,
      clusterDNS: [nodeAddress],
      clusterDomain: 'cluster.local',
      resolvConf: write('resolv.conf', ''),
      volumePluginDir: '/var/lib/kubelet/volume-plugins',
      nodeStatusUpdateFrequency: '4s',
      evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    }),
    kubeProxy: write('kube-proxy.yaml', {
      apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
      kind: 'KubeProxyConfiguration',
      mode: 'nftables',
      clientConnection: { kubeconfig: kubeconfigPath },
      clusterCIDR: clusterNetwork.pods,
      healthzBindAddress: '',
      metricsBindAddress: '',
      // Zero: the settings of the machine remain.
      conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    }),
  };
}

const podNetwork = {
  cniVersion: '0.4.0',
  name: 'pods',
  plugins: [
    {
      type: 'ptp',
      ipam: {
        type: 'host-local',
        ranges: [[{ subnet: clusterNetwork.pods }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
  ],
};

const containerdConfiguration = (cni: string) => `
version = 2
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.devmapper"]
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "docker.io/library/${pauseImage}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${cni}"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      options = {SystemdCgroup = false}
`;
