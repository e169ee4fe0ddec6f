// Downloads official release binaries. etcd, kube-apiserver and kubectl are in the envtest archive of controller-runtime,
// verified against the checksums below. kube-controller-manager is part of the Kubernetes release, for Linux only, verified
// against the checksum that the release publishes.
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { LocalError } from '../lib/command-errors.ts';
import { controllerManagerName, type ProgramName } from './binaries.ts';
import { downloadFile, readPublishedChecksum } from './download.ts';
import { platformName, type Machine } from './machine.ts';
import type { Progress } from './progress.ts';
import { runCommand } from './run-command.ts';

export interface Release {
  /** Version of the archive and of kube-controller-manager. Not every Kubernetes patch release has an archive. */
  readonly version: string;
  /** Base URL of the archives, without a trailing slash; `kubernetes` likewise. */
  readonly archives: string;
  readonly kubernetes: string;
  /** SHA-512 of the archive by platform. Other platforms have no archive. */
  readonly archiveSha512: Readonly<Record<string, string>>;
}

export const officialRelease: Release = {
  version: 'v1.36.2',
  archives: 'https://github.com/kubernetes-sigs/controller-tools/releases/download',
  kubernetes: 'https://dl.k8s.io/release',
  archiveSha512: {
    'linux-amd64':
      'ea743186c8a799f5cf8faf16969f86189d003cb7d130e0ac4b58789f1e5748dcf30ebe91c837a10d5ac415383da3e10b9e64d65785c938c23e739781cfb76f08',
    'linux-arm64':
      '2d72ee985a8e262a3c57dc9f7f0fd891f6a8c7bf7ebaa2db6dc6d8eac8ae28181afe51c1f368b67756cdb40b10de9b205609e1726e5f27f7c6d824dd9c6649ac',
    'darwin-amd64':
      'b4fe9f973cd1992e3880f8b230ed32c0c243b83371591e3e3315f4404df2cdbef8ee94eeb9bb245b7e5feb987d5c4a76c43e0877654ab73f00d7bbc2b9984514',
    'darwin-arm64':
      '9278f9e5af556b2f1f2d139769c1f0d717c7b4426917fdebdba898bcb725a916e4910d6160886194ff9be9589ea7c5c32c2b8ae0754703874b7c8ba8ddfc41ce',
  },
};

const bodyLimitBytes = 512 * 1_048_576;
const unpackWithinMs = 120_000;

/**
 * Downloads the archive, if it has any of the programs, and kube-controller-manager, if it is one of them, into `directory`;
 * except files that an earlier attempt already downloaded and verified.
 */
export async function downloadPrograms(
  machine: Machine,
  progress: Progress,
  release: Release,
  directory: string,
  names: readonly ProgramName[],
): Promise<void> {
  const fromArchive = names.filter((name) => name !== controllerManagerName);
  if (fromArchive.length > 0) await downloadArchive(machine, progress, release, directory);
  if (fromArchive.length === names.length) return;
  if (machine.platform === 'linux') await downloadControllerManager(machine, progress, release, directory);
  else if (fromArchive.length === 0)
    throw new LocalError(`There is no official ${controllerManagerName} for ${machine.platform}`);
}

async function downloadArchive(machine: Machine, progress: Progress, release: Release, directory: string) {
  const platform = platformName(machine);
  const hex = release.archiveSha512[platform];
  if (hex === undefined) throw new LocalError(`There are no release binaries for ${platform}`);
  const name = `envtest-${release.version}`;
  const path = join(directory, 'archive.tar.gz');
  const url = `${release.archives}/${name}/${name}-${platform}.tar.gz`;
  await downloadFile(machine, progress, { url, checksum: { algorithm: 'sha512', hex }, path, bodyLimitBytes });
  await unpack(machine, path, directory);
}

/** The archive contains `controller-tools/envtest/NAME`. */
async function unpack(machine: Machine, path: string, directory: string): Promise<void> {
  const args = ['-xzf', path, '-C', directory, '--strip-components=2'];
  const { exitCode, stderr } = await runCommand('tar', args, {
    environment: machine.environment,
    deadlineMs: unpackWithinMs,
  });
  if (exitCode !== 0) throw new LocalError(`Cannot unpack the archive of the release binaries: ${stderr.trim()}`);
}

async function downloadControllerManager(machine: Machine, progress: Progress, release: Release, directory: string) {
  const url = `${release.kubernetes}/${release.version}/bin/${platformName(machine, '/')}/${controllerManagerName}`;
  const checksum = await readPublishedChecksum(machine, `${url}.sha256`, 'sha256');
  const path = join(directory, controllerManagerName);
  await downloadFile(machine, progress, { url, checksum, path, bodyLimitBytes });
  await chmod(path, 0o755);
}

/** Deletes the archive after it was unpacked. */
export async function dropDownloads(directory: string): Promise<void> {
  await rm(join(directory, 'archive.tar.gz'), { force: true });
}
