// Downloads official release binaries. etcd, kube-apiserver and kubectl are in the envtest archive of controller-runtime,
// verified against the checksums below. kube-controller-manager is part of the Kubernetes release, for Linux only, verified
// against the checksum that the release publishes.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { LocalError } from '../lib/command-errors.ts';
import { messageOf } from '../lib/errors.ts';
import { controllerManagerName, type ProgramName } from './binaries.ts';
import { platformName, type Machine } from './machine.ts';
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

const unpackWithinMs = 120_000;

/**
 * Downloads the archive, if it has any of the programs, and kube-controller-manager, if it is one of them, into `directory`;
 * except files that an earlier attempt already downloaded and verified.
 */
export async function downloadPrograms(
  machine: Machine,
  { version, archives, kubernetes, archiveSha512 }: Release,
  directory: string,
  names: readonly ProgramName[],
): Promise<void> {
  const archive = join(directory, 'archive.tar.gz');
  if (names.some((name) => name !== controllerManagerName)) {
    const platform = platformName(machine);
    const hex = archiveSha512[platform];
    if (hex === undefined) throw new LocalError(`There are no release binaries for ${platform}`);
    const url = `${archives}/envtest-${version}/envtest-${version}-${platform}.tar.gz`;
    const checksum = { algorithm: 'sha512', hex } as const;
    await downloadFile(machine, { url, checksum, path: archive });
    await unpack(machine, archive, directory);
  }
  if (names.includes(controllerManagerName) && machine.platform === 'linux') {
    const url = `${kubernetes}/${version}/bin/${platformName(machine, '/')}/${controllerManagerName}`;
    const checksum = await readPublishedChecksum(machine, `${url}.sha256`, 'sha256');
    const path = join(directory, controllerManagerName);
    await downloadFile(machine, { url, checksum, path });
    await chmod(path, 0o755);
  } else if (names.every((name) => name === controllerManagerName)) {
    throw new LocalError(`There is no official ${controllerManagerName} for ${machine.platform}`);
  }
  await rm(archive, { force: true });
}

/** The archive contains `controller-tools/envtest/NAME`. */
async function unpack({ environment }: Machine, path: string, directory: string): Promise<void> {
  const args = ['-xzf', path, '-C', directory, '--strip-components=2'];
  const { exitCode, stderr } = await runCommand('tar', args, { environment, deadlineMs: unpackWithinMs });
  if (exitCode !== 0) throw new LocalError(`Cannot unpack the archive of the release binaries: ${stderr.trim()}`);
}

interface Checksum {
  readonly algorithm: 'sha256' | 'sha512';
  /** Lower-case hexadecimal. */
  readonly hex: string;
}

interface Download {
  readonly url: string;
  readonly checksum: Checksum;
  /** The destination. The file appears there complete and verified, or not at all. */
  readonly path: string;
}

/** Does nothing when the destination already has the checksum. Throws `LocalError` with a message for the user. */
export async function downloadFile(machine: Machine, download: Download): Promise<void> {
  const { url, path, checksum } = download;
  const present = createHash(checksum.algorithm);
  const isPresent = await pipeline(createReadStream(path), present).then(
    () => present.digest('hex') === checksum.hex,
    () => false,
  );
  if (isPresent) return;
  const partPath = `${path}.part`;
  try {
    if ((await saveBody(machine, download, partPath)) !== checksum.hex)
      throw new LocalError(`${url} does not have the expected ${checksum.algorithm} checksum`);
    await rename(partPath, path);
  } finally {
    await rm(partPath, { force: true });
  }
}

/** Reads the checksum file that a site publishes next to a file: its first word is the checksum. */
export async function readPublishedChecksum(
  machine: Machine,
  url: string,
  algorithm: Checksum['algorithm'],
): Promise<Checksum> {
  let text = '';
  for await (const chunk of fetchChunks(machine, url)) text += Buffer.from(chunk).toString();
  const [hex = ''] = text.trim().toLowerCase().split(/\s/);
  const digits = algorithm === 'sha256' ? 64 : 128;
  if (hex.length === digits && !/[^0-9a-f]/.test(hex)) return { algorithm, hex };
  throw new LocalError(`${url} does not contain a ${algorithm} checksum`);
}

/** Resolves with the checksum of what it saved. */
async function saveBody(machine: Machine, { url, checksum }: Download, path: string): Promise<string> {
  const hash = createHash(checksum.algorithm);
  await pipeline(async function* () {
    for await (const chunk of fetchChunks(machine, url)) {
      hash.update(chunk);
      yield chunk;
    }
  }, createWriteStream(path));
  return hash.digest('hex');
}

/** GET. Follows redirects, which release sites use. fetch itself has deadlines for the connection, the headers and each chunk. */
async function* fetchChunks(machine: Machine, url: string): AsyncGenerator<Uint8Array> {
  const { stopping: signal = null } = machine;
  try {
    const response = await machine.fetch(url, { signal, headers: { 'accept-encoding': 'identity' } });
    if (response.status !== 200 || !response.body) {
      await response.body?.cancel();
      throw new LocalError(`${url} responded with ${response.status}`, { status: response.status });
    }
    yield* response.body;
  } catch (error) {
    if (error instanceof LocalError) throw error;
    throw new LocalError(`Cannot download ${url}: ${messageOf(error)}`, { cause: error });
  }
}
