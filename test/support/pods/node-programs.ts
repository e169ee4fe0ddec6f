// kubelet, kube-scheduler and kube-proxy of the version of the control plane, from the cache folder. They are built from Go modules once.
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { cacheDirectory, isExecutable } from '../../../src/local/binaries.ts';
import { withFileLock } from '../../../src/local/file-lock.ts';
import { buildPrograms } from '../../../src/local/go-build.ts';
import type { Print } from '../../../src/local/long-steps.ts';
import type { Machine } from '../../../src/local/machine.ts';

/** What a node and its pods need besides a container runtime. */
const nodeProgramNames = ['kubelet', 'kube-scheduler', 'kube-proxy'] as const;
type NodeProgramName = (typeof nodeProgramNames)[number];

/** Longer than a build, to wait for that of another process. */
const lockWithinMs = 60 * 60_000;

export async function findNodePrograms(
  machine: Machine,
  progress: Print,
): Promise<Readonly<Record<NodeProgramName, string>>> {
  const directory = cacheDirectory(machine);
  const paths = nodeProgramNames.map((name) => [name, join(directory, name)] as const);
  const missing = async () => {
    const present = await Promise.all(paths.map(([, path]) => isExecutable(path)));
    return nodeProgramNames.filter((_, index) => !present[index]);
  };
  if ((await missing()).length > 0) {
    const lock = {
      clock: machine.clock,
      withinMs: lockWithinMs,
      onWaiting: () => progress('Waiting for a build'),
    };
    await withFileLock(`${directory}.nodes.lock`, lock, async () => {
      const staging = `${directory}.nodes`;
      await mkdir(staging, { recursive: true });
      const names = await missing();
      if (names.length > 0) await buildPrograms(machine, staging, names);
      for (const name of names) await rename(join(staging, name), join(directory, name));
      await rm(staging, { recursive: true });
    });
  }
  return Object.fromEntries(paths) as Record<NodeProgramName, string>;
}
