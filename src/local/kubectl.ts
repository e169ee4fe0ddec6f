// Finds a kubectl that fits kube-apiserver: https://kubernetes.io/releases/version-skew-policy.
import { delimiter, dirname, isAbsolute, join } from 'node:path';

import { cleanText } from '../lib/clean-text.ts';
import { LocalError } from '../lib/command-errors.ts';
import { objectOf, parseJson, stringOf } from '../lib/json-shape.ts';
import { isExecutable, kubernetesVersion, readPrograms, type Binaries } from './binaries.ts';
import { findPinnedKubectl } from './find-binaries.ts';
import type { Machine } from './machine.ts';
import type { Progress } from './progress.ts';
import type { Release } from './release-binaries.ts';
import { runCommand } from './run-command.ts';

/** An absolute path, or a sentence without a full stop. */
type KubectlSearch = { readonly path: string } | { readonly whyNot: string };

const answerWithinMs = 5000;

/** The kubectl of `findPresentKubectl`, or a fetched one. Throws as `findBinaries` does. */
export async function findKubectl(
  machine: Machine,
  progress: Progress,
  servers: Binaries,
  release?: Release,
): Promise<string> {
  const present = await findPresentKubectl(machine, servers);
  if ('path' in present) return present.path;
  progress.print(present.whyNot);
  const version = await readVersion(machine, servers.kubeApiServer);
  const whyNot = version === undefined ? undefined : whyKubectlDoesNotFit(kubernetesVersion, version);
  if (whyNot !== undefined) throw new LocalError(`kubectl ${kubernetesVersion} does not fit either: ${whyNot}`);
  return findPinnedKubectl(machine, progress, release);
}

/** The kubectl beside kube-apiserver, or the first on the PATH. */
export async function findPresentKubectl(machine: Machine, servers: Binaries): Promise<KubectlSearch> {
  const beside = (await readPrograms(dirname(servers.kubeApiServer))).kubectl;
  if (beside !== undefined) return { path: beside };
  return findInstalledKubectl(machine, await readVersion(machine, servers.kubeApiServer));
}

/** The first kubectl on the PATH, when its version fits. No kubectl fits an unknown version. */
export async function findInstalledKubectl(
  machine: Machine,
  kubeApiServerVersion: string | undefined,
  withinMs = answerWithinMs,
): Promise<KubectlSearch> {
  const path = await firstOnPath(machine, 'kubectl');
  if (path === undefined) return { whyNot: 'There is no kubectl on the PATH' };
  const whyNot = await whyItDoesNotFit(machine, path, kubeApiServerVersion ?? '', withinMs);
  return whyNot === undefined ? { path } : { whyNot: `${path} does not fit: ${whyNot}` };
}

/** Skips relative folders, so that the path is valid in another terminal too. */
async function firstOnPath(machine: Machine, name: string): Promise<string | undefined> {
  for (const folder of (machine.environment['PATH'] ?? '').split(delimiter).filter(isAbsolute)) {
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

async function whyItDoesNotFit(
  { environment, stopping: signal }: Machine,
  path: string,
  kubeApiServer: string,
  deadlineMs: number,
): Promise<string | undefined> {
  const options = { environment, deadlineMs, signal, endsDescendants: true };
  const result = await runCommand(path, ['version', '--client', '--output=json'], options).catch(() => undefined);
  if (!result) return 'it cannot be run';
  if (result.exitCode === undefined) return `it did not print its version within ${deadlineMs / 1000} s`;
  const { gitVersion } = objectOf(objectOf(parseJson(result.stdout))['clientVersion']);
  return whyKubectlDoesNotFit(cleanText(stringOf(gitVersion) ?? '', 60), kubeApiServer);
}

/** `v1.36.3` from the output of `--version`: `Kubernetes v1.36.3`. */
async function readVersion({ environment }: Machine, file: string): Promise<string | undefined> {
  const result = await runCommand(file, ['--version'], { environment, deadlineMs: 10_000 }).catch(() => undefined);
  return /v[0-9]+\.[0-9]+\.\S+/.exec(result?.stdout ?? '')?.[0];
}

interface KubernetesVersion {
  readonly major: number;
  readonly minor: number;
  /** An alpha, beta or release candidate, whose API may still change. */
  readonly isPreRelease: boolean;
}

/** Undefined when `text` is no version. Suffixes of vendors are accepted: `v1.36.1-gke.100`, `v1.36.1+k3s1`. */
export function parseKubernetesVersion(text: string): KubernetesVersion | undefined {
  const match = /^v?([0-9]{1,3})\.([0-9]{1,4})\.[0-9]+(?![0-9.])(-(?:alpha|beta|rc)(?![a-z]))?/.exec(text.trim());
  if (!match) return undefined;
  return { major: Number(match[1]), minor: Number(match[2]), isPreRelease: match[3] !== undefined };
}

/**
 * Why this kubectl does not fit; undefined when it does. kubectl may be one minor version older or newer than kube-apiserver.
 * A pre-release does not fit, because the skew policy covers releases only.
 */
export function whyKubectlDoesNotFit(kubectl: string, kubeApiServer: string): string | undefined {
  const client = parseKubernetesVersion(kubectl);
  const server = parseKubernetesVersion(kubeApiServer);
  if (!server) return `the version of kube-apiserver is unknown`;
  const range = `kube-apiserver ${kubeApiServer} needs ${server.major}.${server.minor - 1} to ${server.major}.${server.minor + 1}`;
  if (!client) return `its version is unreadable, and ${range}`;
  if (client.isPreRelease) return `it is the pre-release ${kubectl}, and ${range}`;
  const fits = client.major === server.major && Math.abs(client.minor - server.minor) <= 1;
  return fits ? undefined : `it is ${kubectl}, and ${range}`;
}
