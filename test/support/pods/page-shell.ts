// The shell blocks of pages as a script that runs in a copy of this checkout, as a newcomer pastes them, against a cluster with pods.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { readBuildFacts } from '../../../src/lib/build-facts.ts';
import { root } from '../checks/findings.ts';
import { startShell } from '../rigs/page-blocks.ts';
import type { PodCluster } from './pod-cluster.ts';

/** What a page leaves to its reader. */
const placeholders = { REGISTRY: 'registry.test/team', VERSION: 'next' };

const { version } = readBuildFacts();
const built = 'rolealerts.test/built';

/** The programs that cannot run here, and what runs instead of them: shell with the arguments of each. */
const substitutes = {
  // The image is the one that the tier made of this checkout, and the node is the registry.
  docker: `[ "$1" = build ] || nsenter --target "$NODE" --mount -- ctr --namespace k8s.io images tag ${built} "$2"`,
};

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
    const shell = startShell(script, { directory: checkout, env });
    try {
      await shell.ran;
    } finally {
      await shell.end();
    }
  };
}
