// Finds the programs of a control plane: tries an ordered list of sources. Each source yields binaries or the reason why it
// has none; when no source works, one error message lists all of them.
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

import { LocalError } from '../lib/command-errors.ts';
import { messageOf } from '../lib/errors.ts';
import { cacheDirectory, controllerManagerName, readBinaries, type Binaries } from './binaries.ts';
import { withFileLock } from './file-lock.ts';
import { buildBinaries, hasGo } from './go-build.ts';
import type { Machine } from './machine.ts';
import { renderTaken, type Progress } from './progress.ts';
import { downloadBinaries, dropDownloads, officialRelease, type Release } from './release-binaries.ts';
import { runCommand } from './run-command.ts';

type Found = { readonly binaries: Binaries } | { readonly whyNot: string };
type Way = () => Promise<Found>;

/** Longer than the longest build, to wait for the build of another process instead of repeating it. */
const lockWithinMs = 90 * 60_000;

/** Throws `LocalError`; its message lists the sources and why each of them failed. */
export async function findBinaries(
  machine: Machine,
  progress: Progress,
  release: Release = officialRelease,
): Promise<Binaries> {
  const directory = cacheDirectory(machine);
  const cached: Way = () => fromCache(directory);
  const quick = await firstThatWorks([() => fromAssets(machine, progress, directory), cached]);
  if ('binaries' in quick) return quick.binaries;
  const lock = {
    clock: machine.clock,
    withinMs: lockWithinMs,
    signal: machine.stopping,
    onWaiting: () => progress.print('Another process is already fetching the control plane; waiting for it'),
  };
  const slow = await withFileLock(`${directory}.lock`, lock, () =>
    firstThatWorks([
      cached,
      () => fromRelease(machine, progress, release, directory),
      () => fromGo(machine, progress, directory),
    ]),
  );
  if ('binaries' in slow) return slow.binaries;
  throw new LocalError(renderWays(directory, [...quick.whyNot, ...slow.whyNot.slice(1)]));
}

async function firstThatWorks(
  ways: readonly Way[],
): Promise<{ readonly binaries: Binaries } | { readonly whyNot: readonly string[] }> {
  const whyNot: string[] = [];
  for (const way of ways) {
    const found = await way();
    if ('binaries' in found) return found;
    whyNot.push(found.whyNot);
  }
  return { whyNot };
}

async function fromAssets(machine: Machine, progress: Progress, directory: string): Promise<Found> {
  const assets = machine.environment['KUBEBUILDER_ASSETS'];
  if (!assets) return { whyNot: 'KUBEBUILDER_ASSETS is not set' };
  const { value, missing } = await readBinaries(assets, `in KUBEBUILDER_ASSETS (${assets})`);
  if (!value) return { whyNot: `KUBEBUILDER_ASSETS (${assets}) lacks ${missing.join(', ')}` };
  return { binaries: await withControllerManager(machine, progress, value, directory) };
}

/** The usual envtest archives lack kube-controller-manager; the cache folder may hold one of the same minor version. */
async function withControllerManager(
  machine: Machine,
  progress: Progress,
  binaries: Binaries,
  directory: string,
): Promise<Binaries> {
  if (binaries.kubeControllerManager !== undefined) return binaries;
  const cached = (await readBinaries(directory, '')).value?.kubeControllerManager;
  const minor = await readMinorVersion(machine, binaries.kubeApiServer);
  if (cached !== undefined && minor !== undefined && (await readMinorVersion(machine, cached)) === minor) {
    return { ...binaries, kubeControllerManager: cached };
  }
  progress.print(
    `KUBEBUILDER_ASSETS has no ${controllerManagerName}: deleted namespaces will stay Terminating, ` +
      'and the roles view, edit and admin will be empty',
  );
  return binaries;
}

/** The minor version from the output of `--version`: `1.36` of `Kubernetes v1.36.3`. */
async function readMinorVersion(machine: Machine, file: string): Promise<string | undefined> {
  const options = { environment: machine.environment, deadlineMs: 10_000 };
  const result = await runCommand(file, ['--version'], options).catch(() => undefined);
  return /v([0-9]+\.[0-9]+)\./.exec(result?.stdout ?? '')?.[1];
}

async function fromCache(directory: string): Promise<Found> {
  const { value } = await readBinaries(directory, `in the cache folder ${directory}`);
  return value ? { binaries: value } : { whyNot: 'not found' };
}

async function fromRelease(machine: Machine, progress: Progress, release: Release, directory: string): Promise<Found> {
  return install(machine, progress, `${directory}.download`, directory, async (staging) => {
    await downloadBinaries(machine, progress, release, staging);
    await dropDownloads(staging);
    return 'Downloaded';
  });
}

async function fromGo(machine: Machine, progress: Progress, directory: string): Promise<Found> {
  if (!(await hasGo(machine))) return { whyNot: 'Go is not installed' };
  return install(machine, progress, `${directory}.build`, directory, async (staging) => {
    await buildBinaries(machine, progress, staging);
    return 'Built';
  });
}

/** Fills a folder next to the cache folder and then renames it. A retry reuses the files of a failed attempt. */
async function install(
  machine: Machine,
  progress: Progress,
  staging: string,
  directory: string,
  fill: (staging: string) => Promise<string>,
): Promise<Found> {
  const startMs = machine.clock.monotonic();
  try {
    await mkdir(staging, { recursive: true });
    const verb = await fill(staging);
    await mkdir(dirname(directory), { recursive: true });
    await rm(directory, { recursive: true, force: true });
    await rename(staging, directory);
    progress.print(`${verb} the control plane in ${renderTaken(machine.clock.monotonic() - startMs)}: ${directory}`);
    return await fromCache(directory);
  } catch (error) {
    const whyNot = error instanceof LocalError ? error.message : messageOf(error);
    progress.print(whyNot);
    return { whyNot };
  }
}

function renderWays(directory: string, whyNot: readonly string[]): string {
  const [assets = '', cache = '', download = '', build = ''] = whyNot;
  return [
    'A local control plane needs etcd, kube-apiserver, kubectl and kube-controller-manager. Options:',
    `  1. set KUBEBUILDER_ASSETS to a folder that holds them (now: ${assets})`,
    `  2. put them into ${directory}/ (now: ${cache})`,
    `  3. allow the download from the official releases (now: ${download})`,
    `  4. install Go (https://go.dev/dl) to build them (now: ${build})`,
  ].join('\n');
}
