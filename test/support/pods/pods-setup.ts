// What clusters with pods need, made once per run before the tier `pods`: the programs of a control plane and of a node, and the images.
// Where they cannot run, the tests are skipped with the reason. Where they could, a failure fails the run in CI and skips the tests elsewhere.
import { spawnSync } from 'node:child_process';
import { accessSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import type { TestProject } from 'vitest/node';

import { buildImages } from '../../../.config/build-image.ts';
import { messageOf } from '../../../src/lib/errors.ts';
import { runsTier } from '../gate/tiers.ts';
import { foundBinaries } from '../servers/found-binaries.ts';
import { findNodePrograms } from './node-programs.ts';
import { pauseArchive } from './pause-image.ts';

export type ProvidedPods =
  /** Archives of images. */
  { readonly images: readonly string[] } | { readonly whyNot: string };

declare module 'vitest' {
  // Merging with vitest's own interface is the documented way to type `provide` and `inject`.
  export interface ProvidedContext {
    pods: ProvidedPods;
  }
}

export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!runsTier(project, ['pods'])) return undefined;
  const whyNot = whyNotHere();
  if (whyNot !== undefined) {
    project.provide('pods', { whyNot });
    return undefined;
  }
  const parent = resolve(project.vitest.config.root, '.rolealerts');
  mkdirSync(parent, { recursive: true });
  const directory = await mkdtemp(join(parent, 'pods-'));
  const remove = () => rm(directory, { recursive: true });
  try {
    const { machine, progress } = await foundBinaries();
    await findNodePrograms(machine, progress);
    const images = ['pause.tar', 'rolealerts.tar'].map((name) => join(directory, name));
    const [image] = await buildImages(['amd64'], ['operator']);
    const archives = [await pauseArchive(), image.archive];
    for (const [index, path] of images.entries()) await writeFile(path, archives[index] ?? '');
    project.provide('pods', { images });
  } catch (error) {
    await remove();
    if (process.env['CI'] === 'true') throw error;
    project.provide('pods', { whyNot: messageOf(error) });
    return undefined;
  }
  return remove;
}

/** Undefined where pods can run. */
function whyNotHere(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'pods run on Linux on x64 only';
  if (process.getuid?.() !== 0) return 'only root can run pods';
  const ofNode = ['/usr/bin/containerd', '/usr/bin/ctr', '/usr/sbin/runc', '/usr/sbin/nft', '/usr/lib/cni/ptp'];
  const ofPages = ['/usr/bin/openssl', '/usr/bin/jq'];
  for (const path of [...ofNode, ...ofPages]) {
    try {
      accessSync(path);
    } catch {
      return `there is no ${path}: apt-get install containerd runc containernetworking-plugins nftables iproute2 openssl jq`;
    }
  }
  const { status, stderr } = spawnSync('unshare', ['--fork', '--pid', '--net', '--mount', 'true'], {
    encoding: 'utf8',
  });
  return status === 0 ? undefined : `the kernel allows no namespaces here: ${stderr.trim()}`;
}
