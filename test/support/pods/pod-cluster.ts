// A cluster with pods, from outside: starts cluster-program.ts in namespaces of its own, and reaches into them.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { SecretText } from '../../../src/lib/secret-text.ts';
import { testControlPlane, type TestControlPlane } from '../servers/test-control-plane.ts';
import { nodeName, volumeFolder } from './node-files.ts';

export interface PodCluster extends TestControlPlane {
  /** Of its cgroups. */
  readonly name: string;
  readonly folder: string;
  /** A process in its network and its mounts. */
  readonly pid: number;
  /** Runs a program of the machine there. */
  run(file: string, ...args: readonly string[]): string;
  tell(command: 'stop the API server' | 'start the API server'): Promise<void>;
  /** Ends every process; resolves when the cluster has left nothing. */
  stop(): Promise<void>;
}

/**
 * The kernel ends the processes of the cluster, its mounts and its network with its first process, which ends with its input: when this process
 * closes it, and when this process dies. The shell lives until then and removes the rest, which is empty cgroups and the folder.
 */
const supervise = `
exec 3<&0
unshare --fork --kill-child --pid --mount-proc --mount --net -- "$@" <&3 3<&- &
echo $! >"$FOLDER/namespaces"
exec 3<&- </dev/null
wait $!
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  find /sys/fs/cgroup -depth -type d -path "*/$NAME*" -exec rmdir {} + 2>/dev/null
  [ -z "$(find /sys/fs/cgroup -maxdepth 2 -name "$NAME")" ] && break
  sleep 0.2
done
rm -rf "$FOLDER"
`;

/** A StorageClass of a cluster would make it. It exists before its claim: a claim without a volume is tried again every 15 seconds only. */
const volume = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'alerts' },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    local: { path: volumeFolder },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [nodeName] }] },
        ],
      },
    },
  },
};

export async function startPodCluster(images: readonly string[]): Promise<PodCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'rolealerts-pods-'));
  const name = basename(folder);
  mkdirSync(join(folder, 'images'));
  for (const path of images) copyFileSync(path, join(folder, 'images', basename(path)));
  const program = fileURLToPath(new URL('cluster-program.ts', import.meta.url));
  const child = spawn('/bin/sh', ['-c', supervise, 'pods', process.execPath, program, folder, name], {
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin`, FOLDER: folder, NAME: name },
    // Ctrl-C ends this process only.
    detached: true,
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = once(child, 'close');
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const { done, value } = await answers.next();
    if (done) throw new Error(`the cluster ended: ${said}`);
    return value;
  };
  const facts = JSON.parse(await answer()) as {
    readonly url: string;
    readonly certificateAuthority: string;
    readonly kubeconfigPath: string;
    readonly kubectl: string;
    readonly adminToken: string;
  };
  const pid = Number(readFileSync(join(folder, 'namespaces'), 'utf8'));
  const kubectlPath = join(folder, 'kubectl');
  const script = `#!/bin/sh\nexec nsenter --target ${pid} --net -- ${facts.kubectl} "$@"\n`;
  writeFileSync(kubectlPath, script, { mode: 0o755 });
  const controlPlane = testControlPlane({
    ...facts,
    adminToken: new SecretText(facts.adminToken),
    kubectlPath,
    dataDirectory: folder,
  });
  await controlPlane.kubectl(['apply', '--filename', '-'], { input: JSON.stringify(volume) });
  return {
    ...controlPlane,
    name,
    folder,
    pid,
    run: (file, ...args) =>
      execFileSync('nsenter', ['--target', String(pid), '--net', '--mount', '--', file, ...args], { encoding: 'utf8' }),
    async tell(command) {
      child.stdin.write(`${command}\n`);
      await answer();
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
