// The shell blocks of pages as a script that runs in a copy of this checkout, as a newcomer pastes them, against a cluster with pods.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { readBuildFacts } from '../../../src/lib/build-facts.ts';
import { root } from '../checks/findings.ts';
import type { PodCluster } from './pod-cluster.ts';

/** The word after `sh` of a block that does not run in the script of its page, and why. */
const apart = {
  helm: 'an alternative, which chart.nightly.ts runs',
  image: 'an alternative, which test/interop makes twice; needs a registry',
  release: 'an alternative; needs the files of a release',
  argocd: 'needs Argo CD',
  recording: 'needs a recording of an operator',
  terminals: 'needs several terminals, and changes /etc/hosts',
  entra: 'needs Microsoft Entra ID',
};

/** What a page leaves to its reader. */
const placeholders = { REGISTRY: 'registry.test/team' };

const { version } = readBuildFacts();
const built = 'rolealerts.test/built';

/** The programs that cannot run here, and what runs instead of them: shell with the arguments of each. */
const substitutes = {
  // The image is the one that the tier made of this checkout, and the node is the registry.
  docker: `[ "$1" = build ] || nsenter --target "$NODE" --mount -- ctr --namespace k8s.io images tag ${built} "$2"`,
};

/** The blocks of a page or of a part of it in their order: those without a word after `sh`, or those with this one. */
export function blocksOf(text: string, word?: keyof typeof apart): readonly string[] {
  const blocks = [...text.matchAll(/^( *)```sh(?: (.*))?\n([^]*?)^ *```$/gm)];
  return blocks
    .filter(([, , of]) => {
      if (of !== undefined && !(of in apart)) throw new Error(`a block of shell has the unknown word ${of}`);
      return of === word;
    })
    .map(([, , , block = '']) => block);
}

/** Runs the lines one after another, each written to the log before it runs; throws with the log when one fails. */
export type RunLines = (lines: readonly string[]) => Promise<void>;

/** `programs`: further ones by name, as shell. */
export function shellOf(cluster: PodCluster, programs: Readonly<Record<string, string>> = {}): RunLines {
  const images = (...args: readonly string[]) => cluster.run('ctr', '--namespace', 'k8s.io', 'images', ...args);
  const unpushed = `docker.io/library/rolealerts:${version}`;
  images('tag', unpushed, built);
  images('rm', unpushed);

  const [checkout, bin] = ['checkout', 'bin'].map((name) => join(cluster.folder, name)) as [string, string];
  for (const each of [checkout, bin]) mkdirSync(each);
  const files = 'git ls-files -z --cached --others --exclude-standard';
  execFileSync(
    'sh',
    ['-c', `${files} | tar --create --null --files-from=- | tar --extract --directory="$0"`, checkout],
    {
      cwd: root,
    },
  );
  for (const [name, text] of Object.entries({ ...substitutes, ...programs })) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  const env = {
    ...process.env,
    // kubectl is in the folder of the cluster.
    PATH: [bin, cluster.folder, process.env['PATH']].join(delimiter),
    KUBECONFIG: cluster.kubeconfigPath,
    KUBECACHEDIR: join(cluster.scratchDirectory, 'kubectl-cache'),
    NODE: String(cluster.pid),
  };
  return async (lines) => {
    let script = lines.join('\n');
    for (const [name, value] of Object.entries(placeholders)) script = script.replaceAll(name, value);
    // When this process dies, its end of the pipe closes, and the first line ends all others with what they started.
    const own = '(read -r _; kill -s KILL 0) <&0 & exec </dev/null; set -ex -o pipefail\n';
    const child = spawn('bash', ['-c', own + script], { cwd: checkout, env, detached: true });
    let log = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (log += text));
    }
    const closed = once(child, 'close');
    const [code] = (await once(child, 'exit')) as [number | null];
    child.stdin.end();
    await closed;
    if (code !== 0) throw new Error(`a line failed, the last one of:\n${log}`);
  };
}

export const readPage = (path: string) => readFileSync(new URL(path, root), 'utf8');
